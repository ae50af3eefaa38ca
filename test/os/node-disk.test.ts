// Tests of the Disk port over node:fs, in a temporary directory.

import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'

import { nodeDisk } from '../../src/os/node-disk.ts'
import { DiskError } from '../../src/ports.ts'
import { bytes, text } from '../support/bytes.ts'
import { failureOf, throwing } from '../support/failures.ts'
import { scratch } from '../support/scratch.ts'

const disk = nodeDisk()

describe('nodeDisk', () => {
  const newDir = scratch('disk')
  it('writes parts in order, overwrites, reads back, and tracks the size', async () => {
    const path = `${newDir()}/log`
    const file = await disk.open(path, { create: true })
    expect(file.size()).to.equal(0)
    file.writeNow([bytes('ab'), new Uint8Array(0), bytes('cde')], 0)
    file.writeNow([bytes('F')], 5)
    file.writeNow([bytes('X'), bytes('Y')], 1)
    file.writeNow([], 100)
    file.writeNow([new Uint8Array(0)], 100)
    expect(file.size()).to.equal(6)
    await file.sync()
    const into = new Uint8Array(10)
    expect(await file.read(into, 0)).to.equal(6)
    expect(text(into.subarray(0, 6))).to.equal('aXYdeF')
    expect(file.readNow(into, 4)).to.equal(2)
    expect(text(into.subarray(0, 2))).to.equal('eF')
    expect(file.readNow(into, 6)).to.equal(0)
    expect(await file.read(into, 600)).to.equal(0)
    await file.close()
    expect(readFileSync(path, 'utf8')).to.equal('aXYdeF')
  })

  it('writes more parts than one system call takes', async () => {
    const file = disk.createNow(`${newDir()}/many`)
    const parts = Array.from({ length: 3000 }, (_unset, index) => bytes(`${index},`))
    file.writeNow(parts, 0)
    const whole = parts.map(text).join('')
    const into = new Uint8Array(whole.length)
    expect(file.size()).to.equal(whole.length)
    expect(await file.read(into, 0)).to.equal(whole.length)
    expect(text(into)).to.equal(whole)
    await file.close()
  })

  it('truncates, extends, and finds the size again', async () => {
    const path = `${newDir()}/log`
    const file = await disk.open(path, { create: true })
    file.writeNow([bytes('abcdef')], 0)
    await file.truncate(2)
    expect(file.size()).to.equal(2)
    await file.truncate(4)
    await file.close()
    const again = await disk.open(path, { create: true })
    expect(again.size()).to.equal(4)
    const into = new Uint8Array(4)
    again.readNow(into, 0)
    expect([...into]).to.deep.equal([97, 98, 0, 0])
    await again.close()
  })

  it('keeps a file, makes none unasked, and creates only what is new', async () => {
    const dir = newDir()
    const missing = await failureOf(disk.open(`${dir}/missing`, { create: false }))
    expect(missing).to.be.instanceOf(DiskError)
    expect(missing).to.include({ code: 'ENOENT', path: `${dir}/missing` })
    expect((missing as DiskError).message).to.include(`${dir}/missing: cannot open: ENOENT`)
    expect((missing as DiskError).cause).to.be.instanceOf(Error)
    expect(await disk.list(dir)).to.deep.equal([])
    const file = disk.createNow(`${dir}/new`)
    expect(throwing(() => disk.createNow(`${dir}/new`))).to.include({ code: 'EEXIST', path: `${dir}/new` })
    await file.close()
  })

  it('says what failed on a closed handle, and closes twice', async () => {
    const path = `${newDir()}/log`
    const file = await disk.open(path, { create: true })
    const sync = file.sync()
    const closed = file.close()
    await Promise.all([sync, closed, file.close()])
    const into = new Uint8Array(1)
    expect(throwing(() => { file.writeNow([bytes('x')], 0) })).to.include({ code: 'EBADF', path })
    expect(throwing(() => file.readNow(into, 0))).to.include({ code: 'EBADF', path })
    for (const call of [() => file.sync(), () => file.read(into, 0), () => file.truncate(0)]) {
      expect(await failureOf(call())).to.include({ code: 'EBADF', path })
    }
  })

  it('passes programmer errors through', async () => {
    const file = disk.createNow(`${newDir()}/log`)
    expect(throwing(() => { file.writeNow([bytes('x')], -1) })).to.not.be.instanceOf(DiskError)
    await file.close()
  })

  it('lists by code unit', async () => {
    const dir = newDir()
    for (const name of ['b', 'a', 'B', '10', '9', '.hidden']) writeFileSync(`${dir}/${name}`, '')
    expect(await disk.list(dir)).to.deep.equal(['.hidden', '10', '9', 'B', 'a', 'b'])
    expect(await failureOf(disk.list(`${dir}/missing`))).to.include({ code: 'ENOENT' })
  })

  it('makes, renames, syncs and removes directories', async () => {
    const dir = newDir()
    await disk.makeDir(`${dir}/a/b/c`)
    await disk.makeDir(`${dir}/a/b/c`)
    writeFileSync(`${dir}/a/b/c/file`, 'x')
    await disk.rename(`${dir}/a/b`, `${dir}/a/z`)
    await disk.syncDir(`${dir}/a`)
    expect(await disk.exists(`${dir}/a/z/c/file`)).to.equal(true)
    expect(await disk.exists(`${dir}/a/b`)).to.equal(false)
    expect(await disk.exists(`${dir}/a/z/c/file/below-a-file`)).to.equal(false)
    await disk.remove(`${dir}/a`)
    await disk.remove(`${dir}/a`)
    expect(await disk.list(dir)).to.deep.equal([])
    expect(await failureOf(disk.syncDir(`${dir}/a`))).to.include({ code: 'ENOENT' })
    expect(await failureOf(disk.rename(`${dir}/a`, `${dir}/b`))).to.include({ code: 'ENOENT', path: `${dir}/a` })
  })

  it('replaces the target of a rename', async () => {
    const dir = newDir()
    writeFileSync(`${dir}/new`, 'new')
    writeFileSync(`${dir}/old`, 'old')
    await disk.rename(`${dir}/new`, `${dir}/old`)
    expect(readFileSync(`${dir}/old`, 'utf8')).to.equal('new')
    expect(await disk.list(dir)).to.deep.equal(['old'])
  })
})
