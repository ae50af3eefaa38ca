// Tests of the key-value store over LevelDB.

import { expect } from 'chai'
import { writeFileSync } from 'node:fs'

import { levelStore } from '../../src/os/level-kv.ts'
import { failureOf } from '../support/failures.ts'
import { behavesAsKeyValueStore } from '../support/kv-contract.ts'
import { scratch } from '../support/scratch.ts'

describe('levelStore', () => {
  const newDir = scratch('level')
  behavesAsKeyValueStore(levelStore, () => `${newDir()}/not/there/yet`)

  it('says which path it could not open', async () => {
    const path = `${newDir()}/file`
    writeFileSync(path, 'not a directory')
    const failure = await failureOf(levelStore(path))
    expect(failure).to.include({ name: 'DiskError', path })
    expect((failure as Error).message).to.include(`${path}: cannot open the store`)
  })
})
