//! The requests in flight, and the batches they came in.
//!
//! Batches exist only in protocol generation 2025-03-26: the answers to one go out together, as an
//! array, once the last is ready.

use std::collections::HashMap;

use rmcp::model::RequestId;

/// A batch, numbered in order of arrival.
pub(crate) type BatchId = u64;

/// The unanswered requests.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Each request in flight and the batch it belongs to.
    requests: HashMap<RequestId, Option<BatchId>>,
    batches: HashMap<BatchId, Batch>,
    last_batch: BatchId,
}

#[derive(Debug, Default)]
struct Batch {
    /// Unanswered requests, plus one until the batch is sealed.
    waiting: usize,
    answers: Vec<Vec<u8>>,
}

impl Ledger {
    /// Adds a request; `false` if one with its id is in flight.
    pub(crate) fn open(&mut self, id: RequestId, batch: Option<BatchId>) -> bool {
        if self.has(&id) {
            return false;
        }
        self.requests.insert(id, batch);
        if let Some(batch) = batch.and_then(|batch| self.batches.get_mut(&batch)) {
            batch.waiting += 1;
        }
        true
    }

    /// Whether a request with this id is in flight.
    pub(crate) fn has(&self, id: &RequestId) -> bool {
        self.requests.contains_key(id)
    }

    /// Removes an answered request; returns the frame to write now, if any.
    pub(crate) fn answer(&mut self, id: &RequestId, frame: Vec<u8>) -> Option<Vec<u8>> {
        match self.requests.remove(id).flatten() {
            Some(batch) => {
                self.add(batch, frame);
                self.seal(batch)
            }
            None => Some(frame),
        }
    }

    /// Removes a request that will not be answered; returns its batch if it waited only for this one.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> Option<Vec<u8>> {
        let batch = self.requests.remove(id).flatten()?;
        self.seal(batch)
    }

    /// Begins a batch; call [`Ledger::seal`] once all its requests are added.
    pub(crate) fn begin(&mut self) -> BatchId {
        self.last_batch += 1;
        let batch = Batch {
            waiting: 1,
            answers: Vec::new(),
        };
        self.batches.insert(self.last_batch, batch);
        self.last_batch
    }

    /// Adds an answer to a batch.
    pub(crate) fn add(&mut self, batch: BatchId, frame: Vec<u8>) {
        if let Some(batch) = self.batches.get_mut(&batch) {
            batch.answers.push(frame);
        }
    }

    /// Counts down; returns the batch when nothing is left to wait for. A batch of only notifications
    /// is never answered.
    pub(crate) fn seal(&mut self, id: BatchId) -> Option<Vec<u8>> {
        let batch = self.batches.get_mut(&id)?;
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return None;
        }
        let batch = self.batches.remove(&id)?;
        (!batch.answers.is_empty()).then(|| {
            let mut frame = vec![b'['];
            frame.extend(batch.answers.join(&b','));
            frame.push(b']');
            frame
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(frame: Option<Vec<u8>>) -> Option<String> {
        frame.map(|frame| String::from_utf8(frame).unwrap())
    }

    #[test]
    fn an_id_is_free_again_once_answered_or_cancelled() {
        let mut ledger = Ledger::default();
        let id = RequestId::Number(1);
        assert!(ledger.open(id.clone(), None));
        assert!(!ledger.open(id.clone(), None));
        assert_eq!(text(ledger.answer(&id, b"1".into())).unwrap(), "1");
        assert!(ledger.open(id.clone(), None));
        assert_eq!(ledger.cancel(&id), None);
        assert!(ledger.open(id, None));
    }

    #[test]
    fn a_batch_is_answered_when_all_of_it_is() {
        let mut ledger = Ledger::default();
        let batch = ledger.begin();
        let ids = [1, 2, 3].map(RequestId::Number);
        for id in &ids {
            assert!(ledger.open(id.clone(), Some(batch)));
        }
        ledger.add(batch, b"refused".into());
        // An answer may come before the batch is complete.
        assert_eq!(ledger.answer(&ids[1], b"two".into()), None);
        assert_eq!(ledger.seal(batch), None);
        assert_eq!(ledger.answer(&ids[0], b"one".into()), None);
        assert_eq!(text(ledger.cancel(&ids[2])).unwrap(), "[refused,two,one]");
    }

    #[test]
    fn a_batch_of_notifications_is_not_answered() {
        let mut ledger = Ledger::default();
        let batch = ledger.begin();
        assert_eq!(ledger.seal(batch), None);
    }
}
