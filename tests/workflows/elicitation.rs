//! The person is asked by the client, where it can.
