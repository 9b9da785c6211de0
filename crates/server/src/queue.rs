//! The order in which waiting requests open sessions: tokens take turns, and the requests of one token keep
//! their order. It does no I/O and knows no clock.

use std::collections::VecDeque;

/// Names one waiting request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// Who waits, in the order of their turns.
#[derive(Debug)]
pub(crate) struct Queue {
    most: usize,
    issued: u64,
    /// One line for each token that has waiting requests; the first line is next.
    lines: VecDeque<Line>,
}

#[derive(Debug)]
struct Line {
    token: String,
    waiting: VecDeque<Ticket>,
}

/// The queue takes no more; a further request would have had this place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full {
    pub(crate) place: usize,
}

impl Queue {
    /// An empty queue for at most this many requests.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            issued: 0,
            lines: VecDeque::new(),
        }
    }

    /// Puts a request of this token at the end of its line.
    pub(crate) fn join(&mut self, token: &str) -> Result<Ticket, Full> {
        if self.len() >= self.most {
            return Err(Full {
                place: self.place_of_next(token),
            });
        }
        self.issued += 1;
        let ticket = Ticket(self.issued);
        match self.lines.iter_mut().find(|line| line.token == token) {
            Some(line) => line.waiting.push_back(ticket),
            None => self.lines.push_back(Line {
                token: token.to_owned(),
                waiting: VecDeque::from([ticket]),
            }),
        }
        Ok(ticket)
    }

    /// Whose turn it is.
    pub(crate) fn turn(&self) -> Option<Ticket> {
        self.lines.front()?.waiting.front().copied()
    }

    /// Ends the wait of the request whose turn it is; its token's next request waits until all other tokens
    /// have had a turn.
    pub(crate) fn admit(&mut self) -> Option<Ticket> {
        let mut line = self.lines.pop_front()?;
        let ticket = line.waiting.pop_front();
        if !line.waiting.is_empty() {
            self.lines.push_back(line);
        }
        ticket
    }

    /// Removes a request that no longer waits.
    pub(crate) fn leave(&mut self, ticket: Ticket) {
        for line in &mut self.lines {
            line.waiting.retain(|waiting| *waiting != ticket);
        }
        self.lines.retain(|line| !line.waiting.is_empty());
    }

    /// How many requests wait.
    pub(crate) fn len(&self) -> usize {
        self.lines.iter().map(|line| line.waiting.len()).sum()
    }

    /// The place that another request of this token would have, counted from 1.
    fn place_of_next(&self, token: &str) -> usize {
        let own = self.lines.iter().position(|line| line.token == token);
        // A new line would be the last of all.
        let (own, before) = match own {
            Some(at) => (at, self.lines[at].waiting.len()),
            None => (self.lines.len(), 0),
        };
        let others = self.lines.iter().enumerate().filter(|(at, _)| *at != own);
        let turns = |(at, line): (usize, &Line)| {
            // Lines before ours have one more turn until then.
            line.waiting.len().min(before + usize::from(at < own))
        };
        others.map(turns).sum::<usize>() + before + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each letter is a request of the token of that name; admits them all.
    #[track_caller]
    fn check(joining: &str, expected: &str) {
        let mut queue = Queue::new(joining.len());
        let mut tokens = Vec::new();
        for token in joining.chars() {
            tokens.push((queue.join(&token.to_string()).unwrap(), token));
        }
        let mut order = String::new();
        let mut last = Ticket(0);
        while let Some(ticket) = queue.turn() {
            assert_eq!(queue.admit(), Some(ticket));
            let token = tokens.iter().find(|(one, _)| *one == ticket).unwrap().1;
            // Requests of one token keep their order.
            if order.ends_with(token) {
                assert!(ticket.0 > last.0);
            }
            order.push(token);
            last = ticket;
        }
        assert_eq!(order, expected);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn tokens_take_turns() {
        check("", "");
        check("aaa", "aaa");
        check("aaab", "abaa");
        check("aaabbc", "abcaba");
        check("abcabc", "abcabc");
    }

    #[test]
    fn a_full_queue_says_which_place_a_request_would_have() {
        let place = |waiting: &str, token: &str| {
            let mut queue = Queue::new(waiting.len());
            for token in waiting.chars() {
                queue.join(&token.to_string()).unwrap();
            }
            queue.join(token).unwrap_err().place
        };
        assert_eq!(place("", "a"), 1);
        assert_eq!(place("aaa", "a"), 4);
        assert_eq!(place("aaa", "b"), 2);
        assert_eq!(place("aab", "b"), 4);
        assert_eq!(place("aaabb", "c"), 3);
        assert_eq!(place("abbb", "a"), 3);
    }

    #[test]
    fn the_place_is_the_one_that_a_request_then_has() {
        for waiting in ["aaa", "aab", "aaabb", "abbb", "abcbca"] {
            for token in ["a", "b", "c", "d"] {
                let mut full = Queue::new(waiting.len());
                let mut wide = Queue::new(waiting.len() + 1);
                for one in waiting.chars() {
                    full.join(&one.to_string()).unwrap();
                    wide.join(&one.to_string()).unwrap();
                }
                let told = full.join(token).unwrap_err().place;
                let ticket = wide.join(token).unwrap();
                let admitted: Vec<_> = std::iter::from_fn(|| wide.admit()).collect();
                let place = admitted.iter().position(|one| *one == ticket).unwrap() + 1;
                assert_eq!(told, place, "{waiting} {token}");
            }
        }
    }

    #[test]
    fn whoever_leaves_delays_nobody() {
        let mut queue = Queue::new(3);
        let first = queue.join("a").unwrap();
        let second = queue.join("b").unwrap();
        let third = queue.join("a").unwrap();
        queue.leave(first);
        assert_eq!((queue.len(), queue.turn()), (2, Some(third)));
        queue.leave(third);
        assert_eq!(queue.turn(), Some(second));
        queue.leave(second);
        assert_eq!(queue.turn(), None);
        queue.leave(second);
        assert!(queue.join("c").is_ok());
    }
}
