import { afterAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { expectUnharmed } from '../../support/health.ts'
import { makeVault } from '../../support/vault.ts'
import { base64, flipped } from './key-kit.ts'

const appliance = applianceForTests()
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

interface Item {
  readonly key_version?: string
  readonly ciphertext?: string
  readonly plaintext?: string
  readonly error?: { readonly code: string; readonly text: string }
  readonly reference?: string
}

const encryptPath = (name: string) => `/transparent/${vault.id}/encrypt/${name}`
const decryptPath = (name: string) => `/transparent/${vault.id}/decrypt/${name}`
const rewrapPath = (name: string) => `/transparent/rewrap/${vault.id}/${name}`

async function batch(path: string, batch_input: readonly object[], client = vault.admin): Promise<readonly Item[]> {
  const { CALLINFO } = await client.must('POST', path, { batch_input })
  return CALLINFO['batch_results'] as Item[]
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => base64(`item ${index}`))

describe('batch_input', () => {
  it('gives the results of encrypt, decrypt and rewrap in the order of the items, each with its reference', async () => {
    const plaintexts = numbered(50)
    const encrypted = await batch(
      encryptPath('order'),
      plaintexts.map((plaintext, n) => ({ plaintext, reference: `r${n}` })),
    )
    expect(encrypted).toEqual(
      plaintexts.map((_, n) => ({
        key_version: '1',
        ciphertext: expect.stringMatching(/^service:v1:/),
        reference: `r${n}`,
      })),
    )
    await vault.admin.must('POST', `${vault.keyPath('order')}/rotate`)
    const rewrapped = await batch(
      rewrapPath('order'),
      encrypted.map(({ ciphertext, reference }) => ({ ciphertext, reference })),
    )
    expect(rewrapped.map(({ key_version, reference }) => [key_version, reference])).toEqual(
      plaintexts.map((_, n) => ['2', `r${n}`]),
    )
    const decrypted = await batch(
      decryptPath('order'),
      [...rewrapped, ...encrypted].map(({ ciphertext, reference }) => ({ ciphertext, reference })),
    )
    expect(decrypted.map(({ plaintext }) => plaintext)).toEqual([...plaintexts, ...plaintexts])
    expect(decrypted.map(({ reference }) => reference)).toEqual(
      [...rewrapped, ...encrypted].map(({ reference }) => reference),
    )
  })

  it('answers like single calls, item for item', async () => {
    const single = await vault.admin.must('POST', encryptPath('order'), { plaintext: 'AAAA' })
    const many = await vault.admin.must('POST', encryptPath('order'), { batch_input: [{ plaintext: 'AAAA' }] })
    const { ciphertext, key_version, ...names } = single.CALLINFO
    expect(many.CALLINFO).toEqual({
      ...names,
      token: many.CALLINFO.token,
      batch_results: [{ key_version, ciphertext: expect.stringMatching(/^service:v2:/) }],
    })
    const [item] = many.CALLINFO['batch_results'] as Item[]
    expect(await vault.decrypt('order', item?.ciphertext ?? '')).toBe('AAAA')
    expect(await batch(decryptPath('order'), [{ ciphertext }])).toEqual([{ plaintext: 'AAAA' }])
  })

  it('repeats a reference as it came, and gives none where there was none', async () => {
    const reference = '{"é": 1} \n '
    const results = await batch(encryptPath('order'), [
      { plaintext: '', reference },
      { plaintext: '' },
      { plaintext: '', reference: '' },
    ])
    expect(results.map((item) => item.reference)).toEqual([reference, undefined, ''])
    expect(results[1]).not.toHaveProperty('reference')
    const tooLong = [{ plaintext: '', reference: 'x'.repeat(257) }]
    expectFault(await vault.admin.post(encryptPath('order'), { batch_input: tooLong }), 400, 1804)
  })

  it('encrypt: one bad item of each kind spoils no other', async () => {
    await vault.encrypt('bad', 'AAAA')
    await vault.admin.must('POST', `${vault.keyPath('bad')}/rotate`)
    await vault.admin.must('PUT', `${vault.keyPath('bad')}/versions/1`, { enabled: false })
    const good = { plaintext: 'AAAA' }
    const items = [
      good,
      { plaintext: 'no base64' },
      good,
      { ...good, aad: '*' },
      good,
      { ...good, key_version: 3 },
      good,
      { ...good, key_version: 1 },
      good,
    ]
    const results = await batch(encryptPath('bad'), items)
    expect(results.map(({ error, key_version }) => error?.code ?? key_version)).toEqual([
      '2',
      '1804',
      '2',
      '1804',
      '2',
      '1503',
      '2',
      '1509',
      '2',
    ])
    for (const { error } of results) if (error) expect(error.text).toMatch(/^[A-Z`a-z].{8,}[.!]$/)
  })

  it('decrypt and rewrap: one bad item of each kind spoils no other', async () => {
    const ciphertext = await vault.encrypt('bad', 'AAAA')
    const good = { ciphertext }
    const items = [
      good,
      { ciphertext: 'nothing' },
      good,
      { ciphertext: 'service:v2:' },
      good,
      { ciphertext: ciphertext.slice(0, 20) + '*' },
      good,
      { ciphertext: flipped(ciphertext, 0) },
      good,
      { ciphertext: ciphertext.replace('v2', 'v9') },
      good,
      { ciphertext: ciphertext.replace('v2', 'v1') },
      good,
      { ...good, aad: 'AAAA' },
      good,
      { ...good, aad: '%' },
      good,
    ]
    const expected = ['1506', '1506', '1506', '1507', '1503', '1509', '1507', '1804']
    for (const path of [decryptPath('bad'), rewrapPath('bad')]) {
      const codes = (await batch(path, items)).map(({ error }) => error?.code)
      expect(codes, path).toEqual(items.map((_, n) => (n % 2 === 0 ? undefined : expected[(n - 1) / 2])))
    }
    const to = [
      { ...good, to_version: 2 },
      { ...good, to_version: 9 },
      { ...good, to_version: '2' },
      { ...good, to_version: 1 },
    ]
    expect((await batch(rewrapPath('bad'), to)).map(({ error }) => error?.code)).toEqual([
      undefined,
      '1503',
      undefined,
      '1509',
    ])
  })

  it('with nothing but bad items answers for each, and makes no key', async () => {
    const items = [{ plaintext: '*' }, { plaintext: 'AAAA', key_version: 2 }]
    expect((await batch(encryptPath('hopeless'), items)).map(({ error }) => error?.code)).toEqual(['1804', '1503'])
    expectFault(await vault.admin.get(vault.keyPath('hopeless')), 404, 1500)
  })

  it('takes 1,000 items and refuses 1,001, none, and what is no list of items: 400 1804', async () => {
    const plaintexts = numbered(1_000)
    const encrypted = await batch(
      encryptPath('thousand'),
      plaintexts.map((plaintext) => ({ plaintext })),
    )
    expect(new Set(encrypted.map(({ ciphertext }) => ciphertext)).size).toBe(1_000)
    const decrypted = await batch(
      decryptPath('thousand'),
      encrypted.map(({ ciphertext }) => ({ ciphertext })),
    )
    expect(decrypted.map(({ plaintext }) => plaintext)).toEqual(plaintexts)
    const rewrapped = await batch(
      rewrapPath('thousand'),
      encrypted.map(({ ciphertext }) => ({ ciphertext })),
    )
    expect(rewrapped.filter(({ ciphertext }) => ciphertext !== undefined)).toHaveLength(1_000)
    const [plaintext = ''] = plaintexts
    const [{ ciphertext } = {}] = encrypted
    for (const [path, item] of [
      [encryptPath('thousand'), { plaintext }],
      [decryptPath('thousand'), { ciphertext }],
      [rewrapPath('thousand'), { ciphertext }],
    ] as const)
      for (const batch_input of [
        Array.from({ length: 1_001 }, () => item),
        [],
        {},
        'AAAA',
        null,
        [1],
        [null],
        [[]],
        [{}],
      ])
        expectFault(await vault.admin.post(path, { batch_input }), 400, 1804)
  })

  it('mixes versions', async () => {
    await vault.encrypt('mixed', '')
    for (let turn = 0; turn < 4; turn++) await vault.admin.must('POST', `${vault.keyPath('mixed')}/rotate`)
    const versions = [5, 1, 3, 3, 2, 4, 1]
    const encrypted = await batch(
      encryptPath('mixed'),
      versions.map((key_version) => ({ plaintext: base64(String(key_version)), key_version })),
    )
    expect(encrypted.map(({ key_version }) => Number(key_version))).toEqual(versions)
    const decrypted = await batch(
      decryptPath('mixed'),
      encrypted.map(({ ciphertext }) => ({ ciphertext })),
    )
    expect(decrypted.map(({ plaintext }) => plaintext)).toEqual(versions.map((version) => base64(String(version))))
    const rewrapped = await batch(
      rewrapPath('mixed'),
      encrypted.map(({ ciphertext }, n) => ({ ciphertext, ...(n % 2 ? {} : { to_version: 2 }) })),
    )
    expect(rewrapped.map(({ key_version }) => key_version)).toEqual(versions.map((_, n) => (n % 2 ? '5' : '2')))
  })

  it('binds each item to its own aad', async () => {
    const items = [{ plaintext: 'AAAA', aad: 'AAAA' }, { plaintext: 'AAAA', aad: 'BBBB' }, { plaintext: 'AAAA' }]
    const encrypted = await batch(encryptPath('bound'), items)
    const matrix = encrypted.flatMap(({ ciphertext }) =>
      items.map(({ aad }) => ({ ciphertext, ...(aad ? { aad } : {}) })),
    )
    const codes = (await batch(decryptPath('bound'), matrix)).map(({ error }) => error?.code ?? 'good')
    expect(codes).toEqual(['good', '1507', '1507', '1507', 'good', '1507', '1507', '1507', 'good'])
  })

  it('refuses aad and versions that stand beside it: they belong to the items', async () => {
    const batch_input = [{ plaintext: 'AAAA' }]
    for (const beside of [{ aad: 'AAAA' }, { key_version: 1 }, { plaintext: 'AAAA' }])
      expectFault(await vault.admin.post(encryptPath('bound'), { batch_input, ...beside }), 400, 1804)
    const [{ ciphertext } = {}] = await batch(encryptPath('bound'), batch_input)
    for (const path of [decryptPath('bound'), rewrapPath('bound')])
      for (const beside of [{ aad: 'AAAA' }, { ciphertext }])
        expectFault(await vault.admin.post(path, { batch_input: [{ ciphertext }], ...beside }), 400, 1804)
    expectFault(
      await vault.admin.post(rewrapPath('bound'), { batch_input: [{ ciphertext }], to_version: 1 }),
      400,
      1804,
    )
  })

  it('makes the key at its first use, and counts every item', async () => {
    const items = numbered(20).map((plaintext) => ({ plaintext }))
    const encrypted = await batch(encryptPath('first'), items)
    expect(encrypted.map(({ key_version }) => key_version)).toEqual(items.map(() => '1'))
    expect((await vault.admin.get(vault.keyPath('first'))).status).toBe(200)
  })

  it('by Read needs the key to be there', async () => {
    const reader = await vault.member('Read')
    const body = { batch_input: [{ plaintext: 'AAAA' }, { plaintext: 'AAAA' }] }
    expectFault(await reader.post(encryptPath('absent'), body), 403, 1301)
    expectFault(await reader.post(decryptPath('absent'), { batch_input: [{ ciphertext: 'x' }] }), 404, 1500)
    expectFault(await vault.admin.get(vault.keyPath('absent')), 404, 1500)
    expect((await reader.post(encryptPath('first'), body)).status).toBe(201)
  })
})

describe('a lease that is smaller than the batch', () => {
  it('counts at least what was encrypted', async () => {
    const small = await TestAppliance.own({ transparent: { invocationLease: 10 }, http: { workers: 1 } })
    try {
      const own = await makeVault(small)
      const items = { batch_input: numbered(250).map((plaintext) => ({ plaintext })) }
      for (let call = 0; call < 3; call++) await own.admin.must('POST', `/transparent/${own.id}/encrypt/counted`, items)
      const [row] = await small.store.query<{ invocations: number }>('SELECT invocations FROM key_versions', [])
      expect(row?.invocations).toBeGreaterThanOrEqual(750)
      expect(row?.invocations).toBeLessThanOrEqual(770)
    } finally {
      await small.close()
    }
  })
})
