// Whose directory it is: another node, cluster, voter set or process is refused, with value found, wanted and path.

import { expect } from 'chai'

import { BENCHES, change, hard, refusal, type Bench } from './bench.ts'

for (const [place, make] of BENCHES) {
  describe(`identity of a controller's directory, ${place}`, () => {
    let bench: Bench
    beforeEach(async () => {
      bench = make()
      const store = await bench.open()
      await store.save(change({ hardState: hard(1, 1, 0) }))
      await store.close()
    })
    afterEach(() => { bench.dispose() })

    const cases = [
      ['node', { nodeId: 2 }, 'KAFKA_STORAGE_ERROR', 'says node.id=1, ', 'node.id=2', /correct node\.id or data\.dir/],
      ['cluster', { clusterId: 'c-2' }, 'INCONSISTENT_CLUSTER_ID', 'says cluster.id=c-1, ', 'cluster.id=c-2',
        /correct cluster\.id or data\.dir/],
      ['set of voters', { votersHash: 'abd' }, 'KAFKA_STORAGE_ERROR', 'says voters.hash=abc, ', 'voters.hash=abd',
        /set of controllers cannot change/]
    ] as const
    for (const [what, options, name, found, wanted, hint] of cases) {
      it(`refuses another ${what}`, async () => {
        const error = await refusal(bench.open(options))
        expect(error.name).to.equal(name)
        expect(error.message).to.contain(`${bench.dir}/meta.properties`).and.to.contain(found).and.to.contain(wanted)
        expect(error.hint).to.match(hint)
        const store = await bench.open()
        expect(store.saved).to.deep.equal(hard(1, 1, 0))
        await store.close()
      })
    }

    it('refuses the directory of another role', async () => {
      const text = new TextDecoder().decode(bench.readFile('meta.properties'))
      bench.writeFile('meta.properties', new TextEncoder().encode(text.replace('role=controller', 'role=broker')))
      expect((await refusal(bench.open())).message).to.contain('says role=broker, ').and.to.contain('role=controller')
      bench.writeFile('meta.properties', new TextEncoder().encode(text.replace('role=controller\n', '')))
      expect((await refusal(bench.open())).message).to.contain('says role=(nothing), ')
    })

    it('refuses a garbled identity file', async () => {
      const good = bench.readFile('meta.properties')
      for (const garbled of [good.subarray(0, 0), good.subarray(0, good.length - 1), new Uint8Array(90).fill(1)]) {
        bench.writeFile('meta.properties', garbled)
        const error = await refusal(bench.open())
        expect(error.message).to.match(/is not an identity file of version 1/)
        expect(error.hint).to.match(/restore the file from a backup/)
      }
    })

    it('refuses while another holds the lock, and opens once it is released', async () => {
      const store = await bench.open()
      const error = await refusal(bench.open())
      expect(error.name).to.equal('KAFKA_STORAGE_ERROR')
      expect(error.message).to.contain(`data.dir ${bench.dir} is in use`).and.to.contain(`${bench.dir}/lock`)
      expect(error.hint).to.match(/stop that process/)
      await store.save(change({ hardState: hard(2, 0, 0) }))
      await store.close()
      const again = await bench.open()
      expect(again.saved).to.deep.equal(hard(2, 0, 0))
      await again.close()
    })
  })
}
