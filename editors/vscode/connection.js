// Messages of the language server protocol over the pipes of a process.
'use strict';

/* A connection to a server that reads from INPUT and writes to OUTPUT. TOLD is called with the method and parameters of each
   notification. */
class Connection {
  constructor(input, output, told) {
    this.input = input;
    this.told = told;
    this.waiting = new Map();
    this.last = 0;
    this.rest = Buffer.alloc(0);
    this.isOver = false;
    output.on('data', bytes => this.take(bytes));
    input.on('error', () => this.end());
  }

  send(message) {
    if (this.isOver) return;
    const body = Buffer.from(JSON.stringify({jsonrpc: '2.0', ...message}), 'utf8');
    this.input.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.input.write(body);
  }

  notify(method, params) {
    this.send({method, params});
  }

  /* The result of METHOD; an error of the server is thrown, and where there is no server any more the result is null. */
  request(method, params) {
    if (this.isOver) return Promise.resolve(null);
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.send({id, method, params});
    });
  }

  take(bytes) {
    this.rest = Buffer.concat([this.rest, bytes]);
    for (;;) {
      const end = this.rest.indexOf('\r\n\r\n');
      const length = end < 0 ? null : /content-length: *(\d+)/i.exec(this.rest.toString('latin1', 0, end));
      if (end < 0 || !length || this.rest.length < end + 4 + +length[1]) return;
      const body = this.rest.toString('utf8', end + 4, end + 4 + +length[1]);
      this.rest = this.rest.subarray(end + 4 + +length[1]);
      this.dispatch(JSON.parse(body));
    }
  }

  dispatch(message) {
    if (message.method !== undefined) {
      this.told(message.method, message.params);
      return;
    }
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (waiting && message.error) waiting.reject(new Error(message.error.message));
    else if (waiting) waiting.resolve(message.result);
  }

  /* The server is gone: nothing will be answered. */
  end() {
    this.isOver = true;
    for (const {resolve} of this.waiting.values()) resolve(null);
    this.waiting.clear();
  }
}

module.exports = {Connection};
