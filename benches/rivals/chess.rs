//! Chess: bitboards, the lowest bit A1; only legal moves are made.

use super::bits::nth_of_many;
use super::lines::{AROUND, BETWEEN, LEAPS, LINES, bishop, fill, fill_back, line, rook};
use super::{Board, End};

const WHITE: usize = 0;
const BLACK: usize = 1;

/// Pieces in the order of the rules.
const KING: usize = 0;
const QUEEN: usize = 1;
const ROOK: usize = 2;
const BISHOP: usize = 3;
const KNIGHT: usize = 4;
const PAWN: usize = 5;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
/// No square.
const NONE: u8 = 64;

// ---- the game ----

/// A position.
#[derive(Clone, Copy, Debug)]
pub struct Chess {
    /// For each piece where it stands, of either side.
    pieces: [u64; 6],
    /// Where a side's men stand.
    sides: [u64; 2],
    /// The squares of kings and rooks that have not moved.
    unmoved: u64,
    /// What a pawn has just passed over.
    passed: u8,
    /// Moves of either side since a pawn was moved or something captured.
    quiet: u8,
    /// The side to move.
    side: u8,
}

/// The pawns' ways: ahead, two ahead, towards the file A, towards H.
const WAYS: usize = 4;

/// All legal moves, in this order: officers, pawns, en passant, promotions, castling.
pub struct Moves {
    /// The officers: which square, which piece, and where to.
    from: [u8; 16],
    piece: [u8; 16],
    to: [u64; 16],
    officers: usize,
    /// Up to each officer, how many moves.
    sums: [u16; 16],
    /// Where pawns go to, by way.
    pawns: [u64; WAYS],
    pawn_sums: [u16; WAYS],
    /// Pawns that capture en passant.
    passant: u64,
    passant_sum: u16,
    /// Where pawns are promoted, by way; the second is empty.
    promotions: [u64; WAYS],
    promotion_sum: u16,
    /// Short, long.
    castles: [bool; 2],
    total: usize,
}

/// One move.
#[derive(Clone, Copy)]
enum Move {
    Plain { piece: usize, from: u32, to: u32 },
    Passant { from: u32 },
    Promotion { from: u32, to: u32, into: usize },
    Castle { long: bool },
}

impl Chess {
    /// From the first four fields of a position in Forsyth-Edwards notation.
    pub fn from_fen(fen: &str) -> Option<Chess> {
        let mut fields = fen.split(' ');
        let mut chess = Chess { pieces: [0; 6], sides: [0; 2], unmoved: 0, passed: NONE, quiet: 0, side: WHITE as u8 };
        for (i, row) in fields.next()?.split('/').enumerate() {
            let mut at = 56 - 8 * i;
            for c in row.chars() {
                if let Some(n) = c.to_digit(10) {
                    at += n as usize;
                } else {
                    let piece = "kqrbnp".find(c.to_ascii_lowercase())?;
                    chess.pieces[piece] |= 1 << at;
                    chess.sides[usize::from(c.is_lowercase())] |= 1 << at;
                    at += 1;
                }
            }
        }
        chess.side = u8::from(fields.next()? == "b");
        for c in fields.next()?.chars() {
            chess.unmoved |= match c {
                'K' => 1 << 4 | 1 << 7,
                'Q' => 1 << 4 | 1,
                'k' => 1 << 60 | 1 << 63,
                'q' => 1 << 60 | 1 << 56,
                _ => 0,
            };
        }
        if let [file, rank] = fields.next()?.as_bytes() {
            chess.passed = 8 * (rank - b'1') + (file - b'a');
        }
        Some(chess)
    }

    /// What a side attacks while these squares are taken.
    #[inline]
    fn attacks<const SIDE: usize>(&self, all: u64) -> u64 {
        let men = self.sides[SIDE];
        let pawns = self.pieces[PAWN] & men;
        let (a, h) = (pawns & !FILE_A, pawns & !FILE_H);
        let mut attacked = if SIDE == WHITE { a << 7 | h << 9 } else { a >> 9 | h >> 7 };
        let knights = self.pieces[KNIGHT] & men;
        let (a1, h1) = (knights & !FILE_A, knights & !FILE_H);
        let (a2, h2) = (a1 & !(FILE_A << 1), h1 & !(FILE_H >> 1));
        attacked |= a1 << 15 | a1 >> 17 | h1 << 17 | h1 >> 15 | a2 << 6 | a2 >> 10 | h2 << 10 | h2 >> 6;
        attacked |= AROUND[(self.pieces[KING] & men).trailing_zeros() as usize & 63];
        let empty = !all;
        let straight = (self.pieces[ROOK] | self.pieces[QUEEN]) & men;
        if straight != 0 {
            attacked |= fill(straight, empty, 8, 0) | fill_back(straight, empty, 8, 0);
            attacked |= fill(straight, empty, 1, FILE_A) | fill_back(straight, empty, 1, FILE_H);
        }
        let slanting = (self.pieces[BISHOP] | self.pieces[QUEEN]) & men;
        if slanting != 0 {
            attacked |= fill(slanting, empty, 9, FILE_A) | fill_back(slanting, empty, 9, FILE_H);
            attacked |= fill(slanting, empty, 7, FILE_H) | fill_back(slanting, empty, 7, FILE_A);
        }
        attacked
    }

    #[inline]
    fn moves_of<const SIDE: usize, const FOE: usize>(&self) -> Moves {
        let (mine, theirs) = (self.sides[SIDE], self.sides[FOE]);
        let all = mine | theirs;
        let king = (self.pieces[KING] & mine).trailing_zeros() as usize & 63;
        let square = 1u64 << king;
        let danger = self.attacks::<FOE>(all ^ square);
        let lines = &LINES[king];
        let rank = 255 << (king & 56);

        // Who gives check, where that can be met, and who stands before the king.
        let straight = (self.pieces[ROOK] | self.pieces[QUEEN]) & theirs;
        let slanting = (self.pieces[BISHOP] | self.pieces[QUEEN]) & theirs;
        let (mut pinned, mut targets, mut double) = (0, !0, false);
        let mut snipers = (straight & (lines[0] | rank)) | (slanting & (lines[1] | lines[2]));
        let mut in_check = danger & square != 0;
        while snipers != 0 {
            let at = snipers.trailing_zeros() as usize;
            let between = BETWEEN[king][at];
            let blockers = between & all;
            if blockers == 0 {
                double |= targets != !0;
                targets = between | 1 << at;
            } else if blockers & (blockers - 1) == 0 {
                pinned |= blockers & mine;
            }
            snipers &= snipers - 1;
        }
        if in_check {
            let (a, h) = (square & !FILE_A, square & !FILE_H);
            let pawns = if SIDE == WHITE { a << 7 | h << 9 } else { a >> 9 | h >> 7 };
            let near = (self.pieces[PAWN] & pawns | self.pieces[KNIGHT] & LEAPS[king]) & theirs;
            if near != 0 {
                double |= targets != !0;
                targets = near;
            }
            if double {
                targets = 0;
            }
        }

        let mut moves = Moves {
            from: [0; 16],
            piece: [0; 16],
            to: [0; 16],
            officers: 0,
            sums: [0; 16],
            pawns: [0; WAYS],
            pawn_sums: [0; WAYS],
            passant: 0,
            passant_sum: 0,
            promotions: [0; WAYS],
            promotion_sum: 0,
            castles: [false; 2],
            total: 0,
        };
        let mut sum = 0;
        moves.add(KING, king, AROUND[king] & !mine & !danger, &mut sum);
        let on = targets & !mine;
        for piece in [QUEEN, ROOK, BISHOP] {
            let mut men = self.pieces[piece] & mine;
            while men != 0 {
                let from = men.trailing_zeros() as usize;
                let mut to = match piece {
                    QUEEN => rook(from, all) | bishop(from, all),
                    ROOK => rook(from, all),
                    _ => bishop(from, all),
                } & on;
                if pinned >> from & 1 == 1 {
                    to &= line(king, from);
                }
                moves.add(piece, from, to, &mut sum);
                men &= men - 1;
            }
        }
        let mut men = self.pieces[KNIGHT] & mine & !pinned;
        while men != 0 {
            let from = men.trailing_zeros() as usize;
            moves.add(KNIGHT, from, LEAPS[from] & on, &mut sum);
            men &= men - 1;
        }

        // The pawns.
        let pawns = self.pieces[PAWN] & mine;
        let last = if SIDE == WHITE { 255 << 56 } else { 255 };
        let ahead = pawns & (!pinned | lines[0]);
        let to_a = pawns & !FILE_A & (!pinned | lines[if SIDE == WHITE { 2 } else { 1 }]);
        let to_h = pawns & !FILE_H & (!pinned | lines[if SIDE == WHITE { 1 } else { 2 }]);
        let (one, two, left, right) = if SIDE == WHITE {
            let one = ahead << 8 & !all;
            (one, (one & 255 << 16) << 8 & !all, to_a << 7, to_h << 9)
        } else {
            let one = ahead >> 8 & !all;
            (one, (one & 255 << 40) >> 8 & !all, to_a >> 9, to_h >> 7)
        };
        let ways = [one & targets, two & targets, left & theirs & targets, right & theirs & targets];
        for (i, way) in ways.into_iter().enumerate() {
            moves.pawns[i] = way & !last;
            sum += moves.pawns[i].count_ones() as u16;
            moves.pawn_sums[i] = sum;
        }
        if self.passed != NONE {
            moves.passant = self.passant::<SIDE, FOE>(king, all);
            sum += moves.passant.count_ones() as u16;
        }
        moves.passant_sum = sum;
        if (ways[0] | ways[2] | ways[3]) & last != 0 {
            moves.promotions = ways.map(|w| w & last);
            sum += 4 * moves.promotions.map(|w| w.count_ones() as u16).iter().sum::<u16>();
        }
        moves.promotion_sum = sum;

        in_check |= self.unmoved & square == 0;
        if !in_check {
            let home = if SIDE == WHITE { 0 } else { 56 };
            let (free, safe) = (all >> home, (all | danger) >> home);
            let rooks = self.unmoved >> home;
            moves.castles = [rooks & 0x80 != 0 && safe & 0x60 == 0, rooks & 1 != 0 && free & 2 == 0 && safe & 12 == 0];
            sum += u16::from(moves.castles[0]) + u16::from(moves.castles[1]);
        }
        moves.total = usize::from(sum);
        moves
    }

    /// The pawns that may capture in passing.
    #[cold]
    fn passant<const SIDE: usize, const FOE: usize>(&self, king: usize, all: u64) -> u64 {
        let passed = 1u64 << self.passed;
        let (a, h) = (passed & !FILE_A, passed & !FILE_H);
        let (from, victim) =
            if SIDE == WHITE { (a >> 9 | h >> 7, passed >> 8) } else { (a << 7 | h << 9, passed << 8) };
        let mut from = from & self.pieces[PAWN] & self.sides[SIDE];
        let mut legal = 0;
        while from != 0 {
            let pawn = from & from.wrapping_neg();
            from ^= pawn;
            let mut after = *self;
            after.pieces[PAWN] &= !victim;
            after.sides[FOE] &= !victim;
            if after.attacks::<FOE>(all & !victim & !pawn | passed) >> king & 1 == 0 {
                legal |= pawn;
            }
        }
        legal
    }

    /// Which move is the `i`th.
    #[inline]
    fn decode(&self, moves: &Moves, i: usize) -> Move {
        let n = i as u16;
        let officers = if moves.officers == 0 { 0 } else { moves.sums[(moves.officers - 1) & 15] };
        if n < officers {
            let mut at = 0;
            while n >= moves.sums[at & 15] {
                at += 1;
            }
            let before = if at == 0 { 0 } else { moves.sums[(at - 1) & 15] };
            let (from, to) = (u32::from(moves.from[at & 15]), moves.to[at & 15]);
            let piece = usize::from(moves.piece[at & 15]);
            return Move::Plain { piece, from, to: nth_of_many(to, usize::from(n - before)) };
        }
        if n < moves.pawn_sums[WAYS - 1] {
            let way = moves.pawn_sums.iter().map(|s| usize::from(n >= *s)).sum::<usize>() & 3;
            let before = if way == 0 { officers } else { moves.pawn_sums[way - 1] };
            let to = nth_of_many(moves.pawns[way], usize::from(n - before));
            return Move::Plain { piece: PAWN, from: self.behind(way, to), to };
        }
        if n < moves.passant_sum {
            let i = usize::from(n - moves.pawn_sums[WAYS - 1]);
            return Move::Passant { from: nth_of_many(moves.passant, i) };
        }
        if n < moves.promotion_sum {
            let mut i = usize::from(n - moves.passant_sum);
            let into = QUEEN + i % 4;
            i /= 4;
            let mut way = 0;
            while i >= moves.promotions[way & 3].count_ones() as usize {
                i -= moves.promotions[way & 3].count_ones() as usize;
                way += 1;
            }
            let to = nth_of_many(moves.promotions[way & 3], i);
            return Move::Promotion { from: self.behind(way, to), to, into };
        }
        Move::Castle { long: n > moves.promotion_sum || !moves.castles[0] }
    }

    /// Where a pawn came from.
    #[inline]
    fn behind(&self, way: usize, to: u32) -> u32 {
        if self.side == WHITE as u8 { to - [8, 16, 7, 9][way & 3] } else { to + [8, 16, 9, 7][way & 3] }
    }

    #[inline]
    fn make_move(&mut self, m: Move) -> Option<End> {
        let side = usize::from(self.side & 1);
        let passed = std::mem::replace(&mut self.passed, NONE);
        self.side ^= 1;
        self.quiet += 1;
        match m {
            Move::Plain { piece, from, to } => {
                let (gone, there) = (1u64 << from, 1u64 << to);
                let captures = self.sides[1 - side] & there != 0;
                if captures {
                    self.capture(side, there);
                }
                self.pieces[piece] ^= gone | there;
                self.sides[side] ^= gone | there;
                self.unmoved &= !(gone | there);
                if piece == PAWN {
                    self.quiet = 0;
                    if from.abs_diff(to) == 16 {
                        self.passed = (from + to) as u8 / 2;
                    }
                }
                if captures {
                    self.quiet = 0;
                    if self.dead() {
                        return Some(DEAD);
                    }
                }
            }
            Move::Passant { from } => {
                let there = 1 << passed;
                let victim = if side == WHITE { there >> 8 } else { there << 8 };
                self.pieces[PAWN] ^= 1 << from | there | victim;
                self.sides[side] ^= 1 << from | there;
                self.sides[1 - side] ^= victim;
                self.quiet = 0;
            }
            Move::Promotion { from, to, into } => {
                let there = 1 << to;
                if self.sides[1 - side] & there != 0 {
                    self.capture(side, there);
                }
                self.pieces[PAWN] ^= 1 << from;
                self.pieces[into] |= there;
                self.sides[side] ^= 1 << from | there;
                self.unmoved &= !there;
                self.quiet = 0;
                if self.dead() {
                    return Some(DEAD);
                }
            }
            Move::Castle { long } => {
                let home = if side == WHITE { 0 } else { 56 };
                let (king, rook) = if long { (0x14 << home, 0x09 << home) } else { (0x50 << home, 0xa0 << home) };
                self.pieces[KING] ^= king;
                self.pieces[ROOK] ^= rook;
                self.sides[side] ^= king | rook;
                self.unmoved &= !(king | rook);
            }
        }
        if self.quiet >= FULL { self.late() } else { None }
    }

    #[inline]
    fn capture(&mut self, side: usize, there: u64) {
        for piece in &mut self.pieces {
            *piece &= !there;
        }
        self.sides[1 - side] ^= there;
    }

    /// Whether nobody can mate any more.
    #[inline]
    fn dead(&self) -> bool {
        let [_, queens, rooks, bishops, knights, pawns] = self.pieces;
        if queens | rooks | pawns != 0 {
            return false;
        }
        if knights == 0 {
            return bishops & LIGHT == 0 || bishops & !LIGHT == 0;
        }
        bishops == 0 && knights & (knights - 1) == 0
    }

    /// Seventy-five moves without progress are a draw, unless the last of them leaves no legal move.
    #[cold]
    fn late(&self) -> Option<End> {
        (Chess::count(&self.moves()) > 0).then_some(LATE)
    }

    fn in_check(&self) -> bool {
        let all = self.sides[WHITE] | self.sides[BLACK];
        let attacked = if self.side == 0 { self.attacks::<BLACK>(all) } else { self.attacks::<WHITE>(all) };
        self.pieces[KING] & self.sides[usize::from(self.side & 1)] & attacked != 0
    }
}

/// Moves of either side without progress that make a draw.
const FULL: u8 = 150;

const DEAD: End = End { label: "dead position", winner: None };
const LATE: End = End { label: "seventy-five moves", winner: None };

impl Moves {
    #[inline]
    fn add(&mut self, piece: usize, from: usize, to: u64, sum: &mut u16) {
        if to != 0 && self.officers < 16 {
            *sum += to.count_ones() as u16;
            let i = self.officers & 15;
            self.from[i] = from as u8;
            self.piece[i] = piece as u8;
            self.to[i] = to;
            self.sums[i] = *sum;
            self.officers += 1;
        }
    }
}

impl Board for Chess {
    type Moves = Moves;
    const IN_ORDER: bool = false;
    const GAME: &'static str = "classics/chess";

    fn start() -> Chess {
        Chess {
            pieces: [
                0x10 | 0x10 << 56,
                0x08 | 0x08 << 56,
                0x81 | 0x81 << 56,
                0x24 | 0x24 << 56,
                0x42 | 0x42 << 56,
                0xff00 | 0xff << 48,
            ],
            sides: [0xffff, 0xffff << 48],
            unmoved: 0x91 | 0x91 << 56,
            passed: NONE,
            quiet: 0,
            side: WHITE as u8,
        }
    }

    #[inline]
    fn moves(&self) -> Moves {
        if self.side == WHITE as u8 { self.moves_of::<WHITE, BLACK>() } else { self.moves_of::<BLACK, WHITE>() }
    }

    #[inline]
    fn count(moves: &Moves) -> usize {
        moves.total
    }

    #[inline]
    fn make(&mut self, moves: &Moves, i: usize) -> Option<End> {
        let m = self.decode(moves, i);
        self.make_move(m)
    }

    fn stuck(&self) -> End {
        if self.in_check() {
            End { label: "checkmate", winner: Some(u16::from(self.side ^ 1)) }
        } else {
            End { label: "stalemate", winner: None }
        }
    }

    /// Moves by piece, from and to; then promotions in the same way; then castling.
    fn key(&self, moves: &Moves, i: usize) -> u64 {
        let (class, piece, from, to) = match self.decode(moves, i) {
            Move::Plain { piece, from, to } => (0, piece, from, to),
            Move::Passant { from } => (0, PAWN, from, u32::from(self.passed)),
            Move::Promotion { from, to, into } => (1, into, from, to),
            Move::Castle { long } => (2, usize::from(long), 0, 0),
        };
        class << 24 | (piece as u64) << 16 | u64::from(from) << 8 | u64::from(to)
    }
}
