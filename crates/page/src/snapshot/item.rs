//! A node as the script reports it: one line with tab-separated fields.

/// A node of a document, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Its depth in the tree.
    pub(super) depth: usize,
    /// The role, or `text`.
    pub(super) role: String,
    /// Which node of which world; number 0 means none.
    pub(super) key: Key,
    /// Why it is listed.
    pub(super) kind: Kind,
    /// Accessible name, or the text.
    pub(super) name: String,
    /// Words for its states.
    pub(super) states: String,
    /// A control's value.
    pub(super) value: String,
    /// x, y, width and height in the page's viewport.
    pub(super) bounds: Option<[i32; 4]>,
    /// The author's description beyond the name, if requested.
    pub(super) description: String,
}

/// A node of a world, as long as both live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// Worlds are numbered; numbers are never reused.
    pub(super) world: u64,
    /// The script numbers the nodes.
    pub(super) number: u32,
}

/// Why a node is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// For its content.
    Plain,
    /// A control.
    Control,
    /// It has no role, but can be clicked.
    Clickable,
    /// A document inside the document.
    Frame,
    /// A part of the page that is worth a ref.
    Region,
    /// Text.
    Text,
    /// Written by us, not by the page.
    Note,
}

impl Kind {
    fn of(letter: &str) -> Self {
        match letter {
            "i" => Self::Control,
            "c" => Self::Clickable,
            "f" => Self::Frame,
            "r" => Self::Region,
            "t" => Self::Text,
            "n" => Self::Note,
            _ => Self::Plain,
        }
    }

    /// The script's word for it.
    pub(super) fn letter(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Control => "i",
            Self::Clickable => "c",
            Self::Frame => "f",
            Self::Region => "r",
            Self::Text => "t",
            Self::Note => "n",
        }
    }

    /// Whether its line carries a ref.
    pub(super) fn has_ref(self) -> bool {
        matches!(
            self,
            Self::Control | Self::Clickable | Self::Frame | Self::Region
        )
    }
}

impl Item {
    /// Reads the report of a world.
    pub(super) fn read_all(world: u64, text: &str) -> Vec<Self> {
        text.split('\n')
            .filter_map(|line| Self::read(world, line))
            .collect()
    }

    fn read(world: u64, line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let depth = fields.next()?.parse().ok()?;
        let role = fields.next()?.to_owned();
        let number = fields.next()?.parse().ok()?;
        let kind = Kind::of(fields.next()?);
        let mut text = || fields.next().map(str::to_owned);
        let (name, states, value) = (text()?, text()?, text()?);
        let bounds = fields.next().and_then(bounds);
        let description = fields.next().unwrap_or_default().to_owned();
        Some(Self {
            depth,
            role,
            key: Key { world, number },
            kind,
            name,
            states,
            value,
            bounds,
            description,
        })
    }

    /// A remark of ours.
    pub(super) fn note(depth: usize, text: &str) -> Self {
        Self {
            depth,
            role: "note".to_owned(),
            key: Key {
                world: 0,
                number: 0,
            },
            kind: Kind::Note,
            name: text.to_owned(),
            states: String::new(),
            value: String::new(),
            bounds: None,
            description: String::new(),
        }
    }
}

fn bounds(text: &str) -> Option<[i32; 4]> {
    let mut numbers = text.split(',').map(|number| number.parse().ok());
    Some([
        numbers.next()??,
        numbers.next()??,
        numbers.next()??,
        numbers.next()??,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_line_by_line() {
        let nodes = Item::read_all(
            7,
            "0\tbutton\t12\ti\tGo\tdisabled\t\t1,-2,3,4\tNow\nbroken\n1\ttext\t12\tt\tHi\t\t\t",
        );
        assert_eq!(nodes.len(), 2);
        assert_eq!(nodes[0].bounds, Some([1, -2, 3, 4]));
        assert_eq!(
            (&*nodes[0].description, &*nodes[1].description),
            ("Now", "")
        );
        assert_eq!(
            nodes[0].key,
            Key {
                world: 7,
                number: 12
            }
        );
        assert_eq!(
            (nodes[1].depth, nodes[1].kind, nodes[1].bounds),
            (1, Kind::Text, None)
        );
        assert!(Item::read_all(7, "").is_empty());
    }
}
