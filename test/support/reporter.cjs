// Mocha's spec report, closed by one plain line for people and scripts: `N passed, N failed[, N skipped]`.

const { reporters } = require('mocha')

class ClosingLineReporter extends reporters.Spec {
  /** Mocha calls this after the report has ended, so nothing comes behind the line. */
  done(failures, exit) {
    const { passes, pending } = this.stats
    console.log(`${passes} passed, ${failures} failed${pending === 0 ? '' : `, ${pending} skipped`}`)
    exit(failures)
  }
}

module.exports = ClosingLineReporter
