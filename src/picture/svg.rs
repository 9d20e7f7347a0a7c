//! Elements of a picture.

use std::fmt::Write;

use crate::html::escaped;
use crate::map::columns;

/// Width of one column of text, as a part of its size.
const CHARACTER_WIDTH: f64 = 0.58;

/// A picture that grows with what is drawn.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    body: String,
    /// The upper left and the lower right corner of all that is drawn.
    bounds: Option<((f64, f64), (f64, f64))>,
}

impl Canvas {
    /// Makes room for a rectangle.
    pub(super) fn reach(&mut self, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let ((left, top), (right, bottom)) = self.bounds.unwrap_or(((x, y), (x, y)));
        self.bounds = Some(((left.min(x), top.min(y)), (right.max(x + width), bottom.max(y + height))));
    }

    /// A rectangle with round corners.
    pub(super) fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), round: f64) {
        self.reach((x, y), (width, height));
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             rx=\"{round}\"/>"
        );
    }

    /// A polygon.
    pub(super) fn polygon(&mut self, class: &str, corners: &[(f64, f64)]) {
        let mut points = String::new();
        for (x, y) in corners {
            self.reach((*x, *y), (0.0, 0.0));
            let _ = write!(points, "{x:.1},{y:.1} ");
        }
        let _ = writeln!(self.body, "<polygon class=\"{class}\" points=\"{}\"/>", points.trim_end());
    }

    /// A stroke.
    pub(super) fn line(&mut self, class: &str, (a, b): (f64, f64), (c, d): (f64, f64)) {
        let _ =
            writeln!(self.body, "<line class=\"{class}\" x1=\"{a:.1}\" y1=\"{b:.1}\" x2=\"{c:.1}\" y2=\"{d:.1}\"/>");
    }

    /// Text in the middle of a place, squeezed where it is wider than `room`.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), size: f64, room: f64, text: &str) {
        if text.is_empty() {
            return;
        }
        let wide = columns(text) as f64 * size * CHARACTER_WIDTH;
        let squeezed = if wide > room {
            format!(" textLength=\"{room:.1}\" lengthAdjust=\"spacingAndGlyphs\"")
        } else {
            String::new()
        };
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"{squeezed}>{text}</text>"
        );
    }

    /// Begins a group with a title that is shown where one points at it.
    pub(super) fn open(&mut self, title: &str) {
        let _ = writeln!(self.body, "<g><title>{}</title>", escaped(title));
    }

    /// Ends it.
    pub(super) fn close(&mut self) {
        self.body.push_str("</g>\n");
    }

    /// The element.
    pub(super) fn finish(self) -> String {
        let ((left, top), (right, bottom)) = self.bounds.unwrap_or_default();
        let (x, y) = (left - 4.0, top - 4.0);
        let (width, height) = (right - left + 8.0, bottom - top + 8.0);
        format!(
            "<svg class=\"board\" xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" \
             viewBox=\"{x:.1} {y:.1} {width:.1} {height:.1}\" style=\"max-width:{width:.0}px\">\n{}</svg>\n",
            self.body
        )
    }
}

/// Strokes that have colours of their own.
const STROKES: usize = 4;

/// The class of the strokes of a mark.
pub(super) fn stroke(mark: usize) -> String {
    format!("mark{}", mark % STROKES)
}

/// How wide a text is at a size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    columns(text) as f64 * size * CHARACTER_WIDTH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_as_large_as_what_is_drawn() {
        let mut canvas = Canvas::default();
        canvas.open("a title is not drawn");
        canvas.rect("cell", (10.0, 20.0), (30.0, 40.0), 2.0);
        canvas.text("name", (25.0, 30.0), 10.0, 5.0, "Fangorn");
        canvas.close();
        let svg = canvas.finish();
        assert!(svg.contains("viewBox=\"6.0 16.0 38.0 48.0\""), "{svg}");
        assert!(svg.contains("textLength=\"5.0\""), "{svg}");
    }
}
