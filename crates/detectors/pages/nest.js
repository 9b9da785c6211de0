// A worker whose only purpose is to have a worker.
new Worker(`bundle.js?realm=nested&kind=worker`);
