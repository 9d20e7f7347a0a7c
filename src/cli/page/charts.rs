//! Plots as SVG. The colours are those of the page: each stands for a role, and the style sheet says what it is in the
//! light and in the dark.

use std::error::Error;
use std::ops::Range;

use lawspeaker::html::escaped;
use lawspeaker::map;
use lawspeaker::stats::Estimate;
use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Units across a plot. On a phone it is shown a little smaller than it is.
const WIDTH: u32 = 480;
const FONT: u32 = 20;

/// The roles of the colours.
static INK: RGBColor = RGBColor(1, 1, 1);
static SOFT: RGBColor = RGBColor(2, 2, 2);
const RULE: RGBColor = RGBColor(3, 3, 3);
const SERIES: [RGBColor; 6] = [
    RGBColor(10, 0, 0),
    RGBColor(11, 0, 0),
    RGBColor(12, 0, 0),
    RGBColor(13, 0, 0),
    RGBColor(14, 0, 0),
    RGBColor(15, 0, 0),
];

type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

/// A bar with a name, and an interval if it has one. Values are shares, from 0 to 1.
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// How long it is, and the interval.
    pub share: Estimate,
    /// The number of its colour.
    pub series: usize,
}

/// A line with a name.
pub struct Line {
    /// What it stands for.
    pub name: String,
    /// Its points from left to right, each with its interval.
    pub points: Vec<(f64, Estimate)>,
}

/// What stands at the axes of lines.
pub struct Axes<'a> {
    /// Under the horizontal one.
    pub across: &'a str,
    /// Whether values are shares, to be shown in percent.
    pub percent: bool,
    /// A value that is marked across the plot.
    pub marked: Option<f64>,
}

/// A plot of this height: what is drawn, as an image with a description.
fn plot(height: u32, description: &str, draw: impl FnOnce(&Canvas<'_>) -> Drawn) -> String {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        // What is drawn goes into a text, and nothing can fail there.
        let _ = draw(&canvas);
        let _ = canvas.present();
    }
    let sized = format!("<svg width=\"{WIDTH}\" height=\"{height}\" ");
    let named = format!("<svg class=\"plot\" role=\"img\" aria-label=\"{}\" ", escaped(description));
    svg.replacen(&sized, &named, 1)
}

fn colour(series: usize) -> RGBColor {
    SERIES.get(series % SERIES.len()).copied().unwrap_or(INK)
}

fn font(size: u32, colour: &RGBColor) -> TextStyle<'_> {
    ("sans-serif", size).into_font().color(colour)
}

/// Bars below each other, the name of each above it.
pub fn bars(bars: &[Bar], description: &str) -> String {
    const ROW: u32 = 50;
    const AXIS: u32 = 30;
    let most = bars.iter().map(|bar| bar.share.high).fold(0.0, f64::max);
    let step = if most > 0.5 { 0.25 } else { 0.1 };
    let across = ((most / step).ceil() * step).clamp(step, 1.0);
    let height = ROW * bars.len() as u32 + AXIS;
    plot(height, description, |canvas| {
        let (left, right) = (6.0, f64::from(WIDTH) - 88.0);
        let x = |share: f64| (left + (right - left) * share / across).round() as i32;
        let bottom = (height - AXIS) as i32;
        for tick in 0..=(across / step).round() as u32 {
            let share = f64::from(tick) * step;
            canvas.draw(&PathElement::new(vec![(x(share), 0), (x(share), bottom + 5)], RULE.stroke_width(1)))?;
            let place = if tick == 0 { HPos::Left } else { HPos::Center };
            let style = font(FONT - 3, &SOFT).pos(Pos::new(place, VPos::Top));
            canvas.draw(&Text::new(format!("{:.0} %", 100.0 * share), (x(share), bottom + 8), style))?;
        }
        for (i, bar) in bars.iter().enumerate() {
            let top = (ROW * i as u32) as i32;
            let name = clipped(&bar.name, 52);
            canvas.draw(&Text::new(name, (left as i32, top + 1), font(FONT - 1, &INK)))?;
            let (from, to) = (top + 25, top + 41);
            canvas.draw(&Rectangle::new([(x(0.0), from), (x(bar.share.value), to)], colour(bar.series).filled()))?;
            whisker(canvas, (x(bar.share.low), x(bar.share.high)), (from + to) / 2)?;
            let style = font(FONT - 1, &INK).pos(Pos::new(HPos::Left, VPos::Center));
            let at = x(bar.share.high).max(x(bar.share.value)) + 8;
            canvas.draw(&Text::new(format!("{:.1} %", 100.0 * bar.share.value), (at, (from + to) / 2), style))?;
        }
        Ok(())
    })
}

/// An interval lying across.
fn whisker(canvas: &Canvas<'_>, (low, high): (i32, i32), y: i32) -> Drawn {
    let ends = [vec![(low, y), (high, y)], vec![(low, y - 4), (low, y + 4)], vec![(high, y - 4), (high, y + 4)]];
    for end in ends {
        canvas.draw(&PathElement::new(end, INK.stroke_width(2)))?;
    }
    Ok(())
}

/// A name, cut to so many columns.
fn clipped(name: &str, columns: usize) -> String {
    if map::columns(name) <= columns {
        return name.to_owned();
    }
    let mut cut = String::new();
    for c in name.chars() {
        if map::columns(&cut) + 2 > columns {
            break;
        }
        cut.push(c);
    }
    cut + "…"
}

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A part of a plot with axes and what stands at them: below the horizontal one in words, and the numbers of both.
fn framed<'a>(
    canvas: &Canvas<'a>,
    (x, y): (Range<f64>, Range<f64>),
    across: &str,
    [of_x, of_y]: [&dyn Fn(&f64) -> String; 2],
) -> Result<Chart<'a>, Box<dyn Error>> {
    let mut chart = ChartBuilder::on(canvas)
        .margin(8)
        .margin_right(18)
        .x_label_area_size(52)
        .y_label_area_size(66)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(6)
        .y_labels(5)
        .x_label_formatter(of_x)
        .y_label_formatter(of_y)
        .x_desc(across)
        .label_style(font(FONT - 3, &SOFT))
        .axis_desc_style(font(FONT - 2, &INK))
        .axis_style(RULE)
        .bold_line_style(RULE)
        .light_line_style(TRANSPARENT)
        .draw()?;
    Ok(chart)
}

/// A histogram: bins with how many there are in each.
pub fn histogram(bins: &[lawspeaker::stats::Bin], across: &str, description: &str) -> String {
    let from = bins.first().map_or(0, |bin| bin.from) as f64;
    let to = bins.last().map_or(1, |bin| bin.to + 1) as f64;
    let most = bins.iter().map(|bin| bin.count).max().unwrap_or(0).max(1) as f64;
    plot(270, description, |canvas| {
        let whole = |value: &f64| format!("{value:.0}");
        let mut chart = framed(canvas, (from..to, 0.0..most * 1.05), across, [&whole, &whole])?;
        let columns = bins.iter().map(|bin| {
            let (left, right) = (bin.from as f64, (bin.to + 1) as f64);
            let mut column = Rectangle::new([(left, 0.0), (right, bin.count as f64)], colour(0).filled());
            column.set_margin(0, 0, 1, 1);
            column
        });
        chart.draw_series(columns)?;
        Ok(())
    })
}

/// Lines over numbers, with intervals. Their colours are those of [`legend`].
pub fn lines(lines: &[Line], axes: &Axes<'_>, description: &str) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let Range { start: left, end: right } = around(all().map(|(x, _)| *x), axes.percent);
    let low = if axes.percent { 0.0 } else { all().map(|(_, y)| y.low).fold(0.0, f64::min) };
    let high = if axes.percent { 1.0 } else { all().map(|(_, y)| y.high).fold(0.0, f64::max).max(1e-9) * 1.05 };
    plot(290, description, |canvas| {
        let percent = |y: &f64| if axes.percent { format!("{:.0} %", 100.0 * y) } else { short(*y) };
        let mut chart = framed(canvas, (left..right, low..high), axes.across, [&|x: &f64| short(*x), &percent])?;
        if let Some(marked) = axes.marked {
            chart.draw_series(LineSeries::new([(left, marked), (right, marked)], SOFT.stroke_width(2)))?;
        }
        for (i, line) in lines.iter().enumerate() {
            let colour = colour(i);
            // Intervals at one place stand beside each other.
            let aside = (i as f64 - (lines.len() - 1) as f64 / 2.0) * (right - left) * 0.008;
            let intervals = line.points.iter().filter(|(_, y)| y.high > y.low);
            let interval = |(x, y): &(f64, Estimate)| {
                let x = *x + aside;
                PathElement::new(vec![(x, y.low.max(low)), (x, y.high.min(high))], colour.stroke_width(2))
            };
            chart.draw_series(intervals.map(interval))?;
            chart.draw_series(LineSeries::new(
                line.points.iter().map(|(x, y)| (*x + aside, y.value)),
                colour.stroke_width(3),
            ))?;
            chart
                .draw_series(line.points.iter().map(|(x, y)| Circle::new((*x + aside, y.value), 4, colour.filled())))?;
        }
        Ok(())
    })
}

/// A range that holds some numbers, with room at its ends if points are to stand apart from them.
fn around(numbers: impl Iterator<Item = f64>, room: bool) -> Range<f64> {
    let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low > high {
        return 0.0..1.0;
    }
    let room = if room || low == high { ((high - low) * 0.04).max(0.25) } else { 0.0 };
    (low - room)..(high + room)
}

/// A number of an axis: whole, or with one digit.
fn short(x: f64) -> String {
    if (x - x.round()).abs() < 1e-6 { format!("{x:.0}") } else { format!("{x:.1}") }
}

/// Names with the colours of lines.
pub fn legend<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let key = |(i, name): (usize, &str)| {
        format!("<span><span class=\"key series{}\"></span>{}</span>", i % SERIES.len(), escaped(name))
    };
    let keys: String = names.into_iter().enumerate().map(key).collect();
    format!("<p class=\"legend\">{keys}</p>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(value: f64) -> Estimate {
        Estimate { value, low: value - 0.1, high: value + 0.1 }
    }

    #[test]
    fn plots_are_images_with_a_description_and_nothing_is_markup() {
        let bar = |name: &str| Bar { name: name.into(), share: share(0.4), series: 0 };
        let svg = bars(&[bar("<b>"), bar("Good")], "who \"wins\"");
        assert!(
            svg.starts_with("<svg class=\"plot\" role=\"img\" aria-label=\"who &quot;wins&quot;\" viewBox="),
            "{svg}"
        );
        assert!(svg.contains("&lt;b&gt;") && svg.trim_end().ends_with("</svg>"), "{svg}");
        let svg = histogram(&[lawspeaker::stats::Bin { from: 5, to: 9, count: 3 }], "plies", "lengths");
        assert!(svg.contains(">\nplies\n</text>") && svg.contains("#0A0000"), "{svg}");
        let line = Line { name: "Good".into(), points: vec![(1.0, share(0.5)), (2.0, share(0.6))] };
        let axes = Axes { across: "hand_size", percent: true, marked: Some(0.5) };
        let svg = lines(&[line], &axes, "");
        assert!(svg.contains("50 %") && svg.contains("#020202"), "{svg}");
        assert!(legend(["<i>"]).contains("series0\"></span>&lt;i&gt;"));
    }

    #[test]
    fn nothing_to_show_is_no_matter() {
        assert!(bars(&[], "").contains("</svg>"));
        assert!(histogram(&[], "", "").contains("</svg>"));
        assert!(lines(&[], &Axes { across: "", percent: false, marked: None }, "").contains("</svg>"));
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(clipped("abcdef", 6), "abcdef");
        assert_eq!(clipped("abcdefg", 6), "abcde…");
        assert_eq!(clipped("指輪の破壊", 6), "指輪の…");
    }
}
