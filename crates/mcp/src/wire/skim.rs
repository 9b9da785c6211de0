//! The id of a request that is too long to be read: its client waits for an answer with that id.
//!
//! Where the id stands is the client's affair, and some write it after the parameters. So all of the line is
//! looked at, and no more of it is kept than one short entry of the outermost object.

use rmcp::model::RequestId;
use serde_json::{Map, Value};

use super::decode;

/// Longest entry to look at, in bytes; ids are shorter.
const MOST: usize = 1 << 10;

/// Looks for the id of a request in a line that passes by.
#[derive(Debug, Default)]
pub(super) struct Skim {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// What the outermost object has since its last comma.
    entry: Vec<u8>,
    /// The entry is too long, or holds an object or a list.
    skipped: bool,
    id: Option<Value>,
    has_method: bool,
}

impl Skim {
    /// Looks at the next part of the line.
    pub(super) fn take(&mut self, part: &[u8]) {
        for byte in part {
            self.byte(*byte);
        }
    }

    /// The id, if the line is a request. (An answer has an id of ours.)
    pub(super) fn id(self) -> Option<RequestId> {
        let id = self.id.filter(|_| self.has_method)?;
        decode::request_id(&id)
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.skipped = self.depth > 0;
                self.depth += 1;
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_entry();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b',' if self.depth == 1 => self.end_entry(),
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && !self.skipped {
            self.entry.push(byte);
            self.skipped = self.entry.len() > MOST;
        }
    }

    fn end_entry(&mut self) {
        let entry = [b"{", self.entry.as_slice(), b"}"].concat();
        self.entry.clear();
        if std::mem::take(&mut self.skipped) {
            return;
        }
        let Ok(mut entry) = serde_json::from_slice::<Map<String, Value>>(&entry) else {
            return;
        };
        self.has_method |= entry.contains_key("method");
        if let Some(id) = entry.remove("id") {
            self.id = Some(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<RequestId>) {
        let mut skim = Skim::default();
        for part in line.as_bytes().chunks(3) {
            skim.take(part);
        }
        assert_eq!(skim.id(), expected, "{line}");
    }

    #[test]
    fn the_id_of_a_request_is_found_wherever_it_stands() {
        let long = "x".repeat(3 * MOST);
        let params = format!(r#"{{"id":1,"a":[{{"id":2}},"\"}},{{\"id\":3,"],"b":"{long}"}}"#);
        let seven = Some(RequestId::Number(7));
        check(
            &format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#),
            seven.clone(),
        );
        check(
            &format!(r#" {{ "method" : "tools/call" , "params" : {params}, "id" : 7 }} "#),
            seven.clone(),
        );
        // What broke off in the middle was begun with an id.
        check(
            &format!(r#"{{"id":7,"method":"tools/call","params":{{"a":"{long}"#),
            seven,
        );
        check(
            &format!(r#"{{"method":"m","x":"{long}","id":"a\"b"}}"#),
            Some(RequestId::String("a\"b".into())),
        );
    }

    #[test]
    fn what_is_no_request_has_no_id() {
        check(r#"{"jsonrpc":"2.0","id":7,"result":{}}"#, None);
        check(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#, None);
        check(r#"{"method":"m","id":{"id":7}}"#, None);
        check(r#"{"method":"m","id":1.5}"#, None);
        check(r#"[{"method":"m","id":7}]"#, None);
        check("]}],,x\"", None);
    }
}
