// Writes what happens to a file, a line of JSON each, at once: a run that is killed has told all it could.
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const { join, relative } = require('node:path');

const folder = process.env.SZK_TEST_REPORT;

class Reporter {
  constructor() {
    this.bodies = 0;
  }

  printsToStdio() {
    return true;
  }

  onBegin(config, suite) {
    this.root = process.cwd();
    this.tell({ begin: { total: suite.allTests().length } });
  }

  onTestBegin(test, result) {
    this.tell({ test_begin: this.test(test, result) });
  }

  onTestEnd(test, result) {
    this.tell({
      test_end: {
        ...this.test(test, result),
        outcome: test.outcome(),
        status: result.status,
        duration_ms: Math.round(result.duration),
        errors: result.errors.map((error) => this.error(error)),
        attachments: result.attachments.map((attachment) => this.attachment(attachment)),
      },
    });
  }

  onError(error) {
    this.tell({ error: this.error(error) });
  }

  onEnd(result) {
    this.tell({ end: { status: result.status } });
  }

  onStdOut(chunk) {
    process.stdout.write(chunk);
  }

  onStdErr(chunk) {
    process.stderr.write(chunk);
  }

  test(test, result) {
    const [, project, , ...titles] = test.titlePath();
    return { id: test.id, title: titles.join(' › '), project, location: this.location(test.location), retry: result.retry };
  }

  location(at) {
    return at && `${relative(this.root ?? process.cwd(), at.file)}:${at.line}:${at.column}`;
  }

  error(error) {
    return { message: error.message ?? error.value ?? error.stack ?? 'an error without a message', location: this.location(error.location) };
  }

  attachment({ name, contentType, path, body }) {
    if (path || !body) return { name, mime: contentType, path };
    const bodies = join(folder, 'attachments');
    mkdirSync(bodies, { recursive: true });
    const kept = join(bodies, `${(this.bodies += 1)}-${name.replace(/[^\w.-]+/g, '_').slice(0, 60)}`);
    writeFileSync(kept, body);
    return { name, mime: contentType, path: kept };
  }

  tell(event) {
    appendFileSync(join(folder, 'events.jsonl'), `${JSON.stringify(event)}\n`);
  }
}

module.exports = Reporter;
