// Tests of log lines: their form, their levels, the fields bound to them.

import { expect } from 'chai'

import { createLogger, type LogLevel } from '../../src/observe/logger.ts'

function capture(level: LogLevel, name?: string) {
  const lines: string[] = []
  const destination = { write: (line: string) => { lines.push(line) } }
  const logger = createLogger({ level, destination, ...(name === undefined ? {} : { name }) })
  return { logger, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

describe('createLogger', () => {
  it('writes one JSON object a line: level, time, name, fields, text', () => {
    const { logger, lines, parsed } = capture('info', 'broker')
    logger.info('partition is online', { topic: 'a\nb', partition: 3, leader: null, fenced: false, epoch: undefined })
    expect(lines).to.have.lengthOf(1)
    expect(lines[0]).to.match(/^\{[^\n]*\}\n$/)
    const { time, ...rest } = parsed()[0]!
    expect(rest).to.deep.equal({
      level: 'info', name: 'broker', msg: 'partition is online',
      topic: 'a\nb', partition: 3, leader: null, fenced: false
    })
    expect(time).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d{3}Z$/)
  })

  it('writes levels from the given one up', () => {
    const expected: Readonly<Record<LogLevel, string[]>> = {
      debug: ['debug', 'info', 'warn', 'error'], info: ['info', 'warn', 'error'], warn: ['warn', 'error'],
      error: ['error'], silent: []
    }
    for (const [level, written] of Object.entries(expected)) {
      const { logger, parsed } = capture(level as LogLevel)
      logger.debug('d')
      logger.info('i')
      logger.warn('w')
      logger.error('e')
      expect(parsed().map((line) => line['level']), level).to.deep.equal(written)
    }
  })

  it('binds fields, layer upon layer, and leaves the parent alone', () => {
    const { logger, parsed } = capture('info')
    const partition = logger.with({ topic: 't' }).with({ partition: 1 })
    partition.warn('slow', { tookMs: 5 })
    logger.warn('slow')
    const [bound, plain] = parsed()
    expect(bound).to.include({ topic: 't', partition: 1, tookMs: 5, msg: 'slow' })
    expect(plain).to.have.all.keys('level', 'time', 'msg')
  })
})
