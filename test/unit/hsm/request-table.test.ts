import { expect, it } from 'vitest'
import type { Request } from '../../../src/hsm/client/host-lane.ts'
import { RequestTable } from '../../../src/hsm/client/request-table.ts'

const requestWith = (id: number): Request => ({
  id,
  code: 0,
  fields: [],
  bytes: 0,
  expiresMs: 0,
  only: undefined,
  changesToken: false,
  slow: undefined,
  resolve: () => undefined,
  reject: () => undefined,
  tried: [],
  sentAt: 0,
  flight: undefined,
  wait: undefined,
})

it('knows requests by ids that no other has had for long, in the order of coming', () => {
  const table = new RequestTable(2)
  const add = (): number => {
    const id = table.freeId()
    table.add(requestWith(id))
    return id
  }
  const slow = add()
  const ids = [slow]
  for (let call = 0; call < 20; call++) {
    const id = add()
    expect(ids).not.toContain(id)
    ids.push(id)
    expect([table.size, table.get(id)?.id, table.get(slow)?.id]).toEqual([2, id, slow])
    expect([...table].map((request) => request.id)).toEqual([slow, id])
    table.remove(id)
    // An answer that comes too late is nobody's, and ends nobody else's request.
    table.remove(id)
    expect([table.size, table.get(id)]).toEqual([1, undefined])
  }
  // Its place is not given out, and another id of the same place is not it.
  expect([ids.filter((id) => id % 4 === slow % 4), table.get(slow + 4)]).toEqual([[slow], undefined])
  table.remove(slow)
  expect([table.size, [...table]]).toEqual([0, []])
})
