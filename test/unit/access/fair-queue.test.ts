import { describe, expect, it } from 'vitest'
import { createFairQueue } from '../../../src/access/fair-queue.ts'

interface Login {
  readonly network: string
  readonly name: string
}

const given = (logins: readonly Login[]) => {
  const queue = createFairQueue<Login>([({ network }) => network, ({ name }) => name])
  for (const login of logins) queue.add(login)
  return queue
}

/** How many have had their turn when this one has. */
function placeOf(wanted: Login, queue: ReturnType<typeof given>): number {
  for (let place = 1; queue.size > 0; place++) if (queue.next() === wanted) return place
  return Number.NaN
}

const many = (login: (n: number) => Login): Login[] => Array.from({ length: 1_000 }, (_, n) => login(n))
const familiarOf = ({ network }: Login): string => (network === 'office' ? network : 'unfamiliar networks')
const honest = { network: 'office', name: 'alice' }

describe('queue', () => {
  it.each([
    ['one network, many accounts', (n: number) => ({ network: 'far', name: `user${n}` })],
    ['many networks, one account', (n: number) => ({ network: `far${n}`, name: 'root' })],
    ['one network, one account', () => ({ network: 'far', name: 'root' })],
    ['the network of the honest one, another account', () => ({ network: 'office', name: 'root' })],
    ['the account of the honest one, other networks', (n: number) => ({ network: `far${n % 3}`, name: 'alice' })],
    ['ten networks and twenty accounts', (n: number) => ({ network: `far${n % 10}`, name: `user${n % 20}` })],
  ])('come soon for a login behind 1,000 of %s', (_what, login) => {
    expect(placeOf(honest, given([...many(login), honest]))).toBeLessThanOrEqual(22)
  })

  it('come for all, each once, and in the order of arrival among equals', () => {
    const logins = many((n) => ({ network: `${n % 7}`, name: `${n % 3}` }))
    const queue = given(logins)
    const taken = logins.map(() => queue.next())
    expect(new Set(taken).size).toBe(1_000)
    expect([queue.size, queue.next()]).toEqual([0, undefined])
    const equals = taken.filter((login) => login?.network === '0' && login.name === '0')
    expect(equals).toEqual(logins.filter((login) => equals.includes(login)))
  })

  it('go on alternating for two senders while a third comes again and again', () => {
    const queue = given(many((n) => ({ network: ['a', 'b'][n % 2] ?? '', name: `${n}` })))
    const served: string[] = []
    for (let n = 0; n < 300; n++) {
      queue.add({ network: 'c', name: `again ${n}` })
      served.push(queue.next()?.network ?? '')
    }
    for (const network of ['a', 'b']) expect(served.filter((one) => one === network).length).toBeGreaterThan(80)
  })
})

describe('room', () => {
  it.each([
    ['network', (n: number) => ({ network: n === 0 ? 'other' : 'far', name: `user${n}` })],
    ['account', (n: number) => ({ network: `far${n}`, name: n === 0 ? 'other' : 'root' })],
  ])('is made by the %s with the most waiting, which loses its last', (_what, login) => {
    const logins = many(login)
    const queue = given(logins)
    expect(queue.makeRoom(honest)).toBe(logins.at(-1))
    expect(queue.size).toBe(999)
    expect(queue.makeRoom(login(1))).toBeUndefined()
  })

  it('is made by strangers of many networks, and not by the office that waits behind one address', () => {
    const ways = [({ network }: Login) => network, ({ name }: Login) => name, familiarOf]
    const queue = createFairQueue<Login>(ways)
    const office = Array.from({ length: 50 }, (_, n) => ({ network: 'office', name: `colleague ${n}` }))
    for (const login of [...office, ...many((n) => ({ network: `far${n}`, name: `user${n}` }))]) queue.add(login)
    for (let n = 1; n <= 900; n++)
      expect(queue.makeRoom({ network: 'office', name: `late ${n}` })?.network).toMatch(/^far/)
    expect(queue.makeRoom({ network: 'farther', name: 'another' })).toBeUndefined()
  })

  it('is made by none where all are alike', () => {
    expect(given(many((n) => ({ network: `far${n}`, name: `user${n}` }))).makeRoom(honest)).toBeUndefined()
  })
})
