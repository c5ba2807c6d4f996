//! Tables that fit (MD-14 to MD-17).
//!
//! Columns share the width max-min fairly; cells wrap and are never cut; every
//! line of a table has the same display width, and a line that continues a row
//! opens with `┆`. What cannot fit, and any table in plain characters (EN-2), is
//! printed as records.

use super::block::Place;
use super::source::Content;
use super::{Writer, hidden, inline};
use crate::render::text::Text;
use crate::render::theme::Role;
use crate::render::wrap::{Widths, wrap};
use crate::term::width::{cells, cut};
use comrak::nodes::{AstNode, NodeTable, TableAlignment};
use std::ops::Range;

/// Columns every table column gets, and the most its longest word may claim.
const FLOOR: usize = 3;
const WORD: usize = 12;
/// Columns of a header in front of a record's value.
const HEADER: usize = 200;

impl Writer {
    pub(super) fn table<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        table: &NodeTable,
        place: &Place<'_, '_>,
    ) {
        let columns = table.alignments.len();
        let rows: Vec<Vec<Text>> = node
            .children()
            .enumerate()
            .map(|(index, row)| self.row(row, columns, place, index == 0))
            .collect();
        let natural: Vec<usize> = (0..columns)
            .map(|column| {
                let widest = rows.iter().filter_map(|row| row.get(column)).map(width);
                widest.max().unwrap_or(0).max(FLOOR)
            })
            .collect();
        let available = self.lines.whole();
        let records = self.surface().ascii
            || available.is_some_and(|width| 6 * columns + 1 > width);
        if records {
            self.records(out, &rows);
            return;
        }
        let widths = match available {
            Some(width) => share(&natural, &rows, width - (3 * columns + 1)),
            None => natural,
        };
        let lines: Vec<Vec<Vec<Range<usize>>>> = rows
            .iter()
            .map(|row| {
                row.iter()
                    .zip(&widths)
                    .map(|(cell, &width)| broken(cell, width))
                    .collect()
            })
            .collect();
        let widths = taken(&rows, &lines, &widths);
        // A column of one giant cell must not pad a thousand others.
        let bytes: usize = rows
            .iter()
            .flatten()
            .map(|cell| cell.string.len() + 4)
            .sum();
        let height: usize = lines
            .iter()
            .map(|row| row.iter().map(Vec::len).max().unwrap_or(0).max(1))
            .sum();
        let line = widths.iter().map(|width| width + 3).sum::<usize>() + 1;
        let pad = line.saturating_mul(height) <= (64 << 10) + 8 * bytes;
        for (index, (row, lines)) in rows.iter().zip(&lines).enumerate() {
            self.row_lines(out, row, lines, &widths, table, pad);
            if index == 0 {
                self.delimiter(out, &widths, &table.alignments, pad);
            }
        }
    }

    /// The cells of a row as texts.
    fn row<'a>(
        &mut self,
        row: &'a AstNode<'a>,
        columns: usize,
        place: &Place<'_, '_>,
        header: bool,
    ) -> Vec<Text> {
        let span = row.data().sourcepos;
        let line = place.source.line(span.start.line);
        let role = if header { Role::Bold } else { Role::Plain };
        let style = self.palette.of(role);
        let hides = self.hides();
        let mut content = std::mem::take(&mut self.content);
        let mut cells = Vec::with_capacity(columns);
        let mut end = 0;
        for cell in row.children() {
            let mut text = Text::default();
            if cell.first_child().is_some() {
                let at = cell.data().sourcepos;
                end = at.end.column;
                read(
                    &mut content,
                    span.start.line,
                    line,
                    at.start.column - 1,
                    end,
                );
                let mut with = self.inlines();
                if hides {
                    hidden::push(cell, &mut text, &mut with, style);
                } else {
                    inline::push(cell, &content, &mut text, &mut with, style);
                }
            }
            cells.push(text);
        }
        if let Some(rest) = surplus(line, end, row, columns, hides)
            && let Some(last) = cells.last_mut()
        {
            last.push(&rest, style, 0);
        }
        self.content = content;
        cells
    }

    fn row_lines(
        &mut self,
        out: &mut Vec<u8>,
        row: &[Text],
        lines: &[Vec<Range<usize>>],
        widths: &[usize],
        table: &NodeTable,
        pad: bool,
    ) {
        let rule = self.palette.of(Role::Rule);
        let plain = self.palette.of(Role::Plain);
        let hides = self.hides();
        let height = lines.iter().map(Vec::len).max().unwrap_or(0).max(1);
        for index in 0..height {
            let mut text = Text::default();
            for (column, cell) in row.iter().enumerate() {
                let border = match (column, index) {
                    (0, 1..) => "┆",
                    _ if hides => " ",
                    _ => "|",
                };
                text.push(border, rule, 0);
                text.push(" ", plain, 0);
                let range = lines[column].get(index).cloned().unwrap_or(0..0);
                let used = self::cells(&cell.string[range.clone()]);
                let space = if pad {
                    widths[column].saturating_sub(used)
                } else {
                    0
                };
                let before = match table.alignments.get(column) {
                    Some(TableAlignment::Right) => space,
                    Some(TableAlignment::Center) => space / 2,
                    _ => 0,
                };
                text.push(&" ".repeat(before), plain, 0);
                text.append(cell, range);
                text.push(&" ".repeat(space - before + 1), plain, 0);
            }
            match hides {
                true => text.trim_end(),
                false => text.push("|", rule, 0),
            }
            let whole = 0..text.string.len();
            self.lines.line(out, &text, whole);
        }
    }

    fn delimiter(
        &mut self,
        out: &mut Vec<u8>,
        widths: &[usize],
        alignments: &[TableAlignment],
        pad: bool,
    ) {
        let hides = self.hides();
        let mut line = String::new();
        for (width, alignment) in widths.iter().zip(alignments) {
            let dashes = "-".repeat(if pad { width + 2 } else { FLOOR + 2 });
            line.push(if hides { ' ' } else { '|' });
            match alignment {
                _ if hides => line.push_str(&dashes),
                TableAlignment::None => line.push_str(&dashes),
                TableAlignment::Left => {
                    line.push(':');
                    line.push_str(&dashes[1..]);
                }
                TableAlignment::Right => {
                    line.push_str(&dashes[1..]);
                    line.push(':');
                }
                TableAlignment::Center => {
                    line.push(':');
                    line.push_str(&dashes[2..]);
                    line.push(':');
                }
            }
        }
        if !hides {
            line.push('|');
        }
        let rule = self.palette.of(Role::Rule);
        self.lines.plain(out, &line, rule);
    }

    /// `Header: value` lines, a blank line between rows.
    fn records(&mut self, out: &mut Vec<u8>, rows: &[Vec<Text>]) {
        let (Some(header), bold) = (rows.first(), self.palette.of(Role::Bold)) else {
            return;
        };
        let widths = Widths {
            columns: self
                .lines
                .prose()
                .map(|columns| columns.saturating_sub(2).max(1)),
            split_atoms: self.surface().hyperlinks,
        };
        let mut rest = &rows[1..];
        let long = header.iter().any(|cell| width(cell) > HEADER);
        if rest.is_empty() || long {
            // The headers in full, once.
            rest = rows;
        }
        for (index, row) in rest.iter().enumerate() {
            if index > 0 {
                self.lines.blank(out);
            }
            for (column, cell) in row.iter().enumerate() {
                let mut text = Text::default();
                let name = header.get(column).map_or("", |text| text.string.as_str());
                let name = cut(&name.replace('\n', " "), HEADER, "…");
                if !std::ptr::eq(row, header) && !name.is_empty() {
                    text.push(&format!("{name}: "), bold, 0);
                }
                text.append(cell, 0..cell.string.len());
                text.trim_end();
                self.lines.open("", "  ", bold);
                let lines = &mut self.lines;
                wrap(&text, widths, |range| lines.line(out, &text, range));
                self.lines.close();
            }
        }
    }
}

fn read(content: &mut Content, number: usize, line: &str, from: usize, to: usize) {
    content.reset(number);
    content.line(line, from, to);
    content.unescape_pipes();
}

/// Cells behind the last column, which the parser drops: text all the same.
fn surplus<'a>(
    line: &str,
    end: usize,
    row: &'a AstNode<'a>,
    columns: usize,
    hides: bool,
) -> Option<String> {
    if end == 0 || row.children().count() < columns {
        return None;
    }
    let rest = line.get(end..)?.trim().strip_prefix('|')?;
    let rest = rest.trim_end();
    let rest = match rest.strip_suffix('|') {
        Some(inner) if !inner.ends_with('\\') => inner,
        _ => rest,
    };
    let rest = rest.trim().replace('\t', " ");
    if rest.is_empty() {
        return None;
    }
    let plain = rest.replace("\\|", "|");
    if hides {
        // No backslash that the source does not have.
        return Some(format!(" | {plain}"));
    }
    Some(format!(" \\| {}", plain.replace('|', "\\|")))
}

/// The widest line of a cell.
fn width(cell: &Text) -> usize {
    cell.string.split('\n').map(cells).max().unwrap_or(0)
}

/// The lines of a cell in a column.
fn broken(cell: &Text, width: usize) -> Vec<Range<usize>> {
    if !cell.string.contains('\n') && cells(&cell.string) <= width {
        return std::iter::once(0..cell.string.len()).collect();
    }
    let widths = Widths {
        columns: Some(width),
        split_atoms: true,
    };
    let mut lines = Vec::new();
    wrap(cell, widths, |range| lines.push(range));
    lines
}

/// The widths the wrapped cells really take.
fn taken(
    rows: &[Vec<Text>],
    lines: &[Vec<Vec<Range<usize>>>],
    widths: &[usize],
) -> Vec<usize> {
    let mut taken = vec![FLOOR; widths.len()];
    for (row, lines) in rows.iter().zip(lines) {
        for ((cell, lines), taken) in row.iter().zip(lines).zip(&mut taken) {
            for line in lines {
                *taken = (*taken).max(cells(&cell.string[line.clone()]));
            }
        }
    }
    taken
}

/// Max-min fair widths that sum up to at most `available`.
fn share(natural: &[usize], rows: &[Vec<Text>], available: usize) -> Vec<usize> {
    if natural.iter().sum::<usize>() <= available {
        return natural.to_vec();
    }
    let mut floors: Vec<usize> = (0..natural.len())
        .map(|column| {
            let words = rows
                .iter()
                .filter_map(|row| row.get(column))
                .flat_map(|cell| cell.string.split([' ', '\n']).map(cells));
            words
                .max()
                .unwrap_or(0)
                .clamp(FLOOR, WORD)
                .min(natural[column])
        })
        .collect();
    if floors.iter().sum::<usize>() > available {
        floors.fill(FLOOR);
    }
    let at = |level: usize| -> usize {
        natural
            .iter()
            .zip(&floors)
            .map(|(&natural, &floor)| natural.min(level).max(floor))
            .sum()
    };
    let (mut low, mut high) = (FLOOR, available);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if at(middle) <= available {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let mut widths: Vec<usize> = natural
        .iter()
        .zip(&floors)
        .map(|(&natural, &floor)| natural.min(low).max(floor))
        .collect();
    let mut left = available.saturating_sub(widths.iter().sum());
    for (width, &natural) in widths.iter_mut().zip(natural) {
        if left > 0 && *width == low && natural > *width {
            *width += 1;
            left -= 1;
        }
    }
    widths
}
