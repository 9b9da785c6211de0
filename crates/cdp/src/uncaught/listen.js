// In the page's own world, before its first script: everything used later is taken now, while it is
// still the browser's own, and nothing is read that could run code of the page.
(() => {
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const getter = (type, key) => uncurry(Object.getOwnPropertyDescriptor(type.prototype, key).get);
  const own = Object.getOwnPropertyDescriptor;
  const parent = Object.getPrototypeOf;
  const isError = Error.isError ?? (() => false);
  const text = String;
  const write = JSON.stringify;
  const Message = CustomEvent;
  const dispatch = uncurry(EventTarget.prototype.dispatchEvent);
  const post = uncurry(MessagePort.prototype.postMessage);
  const prevented = getter(Event, 'defaultPrevented');
  const [message, url, line, column, error] = ['message', 'filename', 'lineno', 'colno', 'error'].map((key) =>
    getter(ErrorEvent, key),
  );
  const reason = getter(PromiseRejectionEvent, 'reason');
  const address = getter(Document, 'URL');
  const page = document;
  const types = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => ({
    __proto__: null,
    name: type.name,
    prototype: type.prototype,
  }));
  const last = types.length;

  const say = (thrown) => dispatch(page, new Message('EVENT', { __proto__: null, detail: write(thrown) }));

  // What a page prevents is no uncaught error, and that is known only after its own listeners.
  let first = null;
  let newest = null;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    const { event, thrown, next } = first;
    first = next;
    if (!prevented(event)) say(thrown);
  };
  const later = (event, thrown) => {
    const entry = { __proto__: null, event, thrown, next: null };
    if (first) newest.next = entry;
    else first = entry;
    newest = entry;
    post(port2, 0);
  };

  addEventListener(
    'error',
    (event) => {
      let said;
      try {
        said = message(event);
      } catch {
        return; // A picture or a script that did not load.
      }
      if (!event.isTrusted) return;
      const value = error(event);
      later(event, {
        __proto__: null,
        promise: false,
        text: said,
        kind: isError(value) ? 'error' : value === null ? 'object' : typeof value,
        url: url(event),
        line: line(event),
        column: column(event),
        document: address(page),
      });
    },
    true,
  );

  addEventListener('unhandledrejection', (event) => {
    if (!event.isTrusted) return;
    const value = reason(event);
    const thrown = {
      __proto__: null,
      promise: true,
      text: 'Object',
      kind: value === null ? 'object' : typeof value,
      document: address(page),
    };
    if (isError(value)) {
      const said = own(value, 'message');
      thrown.kind = 'error';
      thrown.text = said && typeof said.value === 'string' ? said.value : '';
      thrown.name = 'Error';
      const prototype = parent(value);
      for (let at = 0; at < last; at++) if (types[at].prototype === prototype) thrown.name = types[at].name;
    } else if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      thrown.text = text(value);
    }
    later(event, thrown);
  }, true);
})();
