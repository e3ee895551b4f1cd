import { pbkdf2Sync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isBitwarden, readBitwarden } from '../../../src/web/exchange/bitwarden-reading.ts'
import { entriesOf, guessUses, readTable } from '../../../src/web/exchange/csv-reading.ts'
import { duplicatesAmong, planObject, planObjects } from '../../../src/web/exchange/planned-object.ts'
import { seedAmong } from '../../../src/web/exchange/opening/keepass-seed.ts'
import { openBitwarden } from '../../../src/web/exchange/opening/bitwarden-opening.ts'
import { decodeText } from '../../../src/web/exchange/text-decoding.ts'
import { blankEntry, type Entry } from '../../../src/web/exchange/entry.ts'
import { sealedExport } from '../../web/bitwarden-kit.ts'
import { hostileTexts } from '../../web/hostile-corpus.ts'

const read = (text: string) => {
  const table = readTable(text)
  return entriesOf(table, guessUses(table.headings))
}

describe('a table', () => {
  it('is read by the words of its headings, in the order that they have', () => {
    const { entries, defects } = read(
      'folder,name,login_uri,login_username,login_password,notes,PUK\nWork/Mail,"Mail, new",https://mail.example,ann,"p""w\n2",,77\n',
    )
    expect(defects).toEqual([])
    expect(entries).toEqual([
      {
        at: 2,
        folders: ['Work', 'Mail'],
        name: 'Mail, new',
        username: 'ann',
        password: 'p"w\n2',
        url: 'https://mail.example',
        totp: '',
        notes: '',
        more: [{ label: 'PUK', value: '77' }],
      },
    ])
  })

  it.each(['login_totp', 'OTPAuth', 'TOTP', 'otpSecret'])('has seeds of one-time codes below %s', (heading) => {
    const { entries } = read(`name,password,${heading}\nMail,pw,JBSW\n`)
    expect(entries).toMatchObject([{ totp: 'JBSW', more: [] }])
  })

  it.each([';', '\t', '|'])('may have %j between its columns', (delimiter) => {
    const { entries } = read(
      [
        ['Title', 'Password'],
        ['Door', '4711'],
      ]
        .map((row) => row.join(delimiter))
        .join('\r\n'),
    )
    expect(entries).toMatchObject([{ name: 'Door', password: '4711' }])
  })

  it('names each line that becomes nothing, and why; the others are read', () => {
    const { entries, defects } = read('name,password\nDoor,1\nGate\n,\nWindow,2,3\nRoof,4\n')
    expect(entries.map(({ name }) => name)).toEqual(['Door', 'Roof'])
    expect(defects).toEqual([
      { at: 3, why: 'columns' },
      { at: 4, why: 'empty' },
      { at: 5, why: 'columns' },
    ])
  })

  it('with a quotation mark that is not closed says so', () => {
    expect(read('name,password\nDoor,"1\nGate,2\n')).toMatchObject({ entries: [], defects: [{ why: 'quotes' }] })
  })

  it('of ten thousand rows is read and planned, and one of more than twenty thousand is not', () => {
    const rows = (count: number) => `name,username,password\n${'Server,root,secret\n'.repeat(count)}`
    const { entries } = read(rows(10_000))
    const plans = entries.map(planObject)
    expect(plans).toHaveLength(10_000)
    expect(duplicatesAmong(plans, []).size).toBe(9_999)
    expect(() => read(rows(20_001))).toThrow('count')
  })

  it('keeps hostile texts as they are', () => {
    for (const text of [...hostileTexts, '=cmd|"/c calc"!A1', '+1', '@SUM(1)']) {
      const quoted = `"${text.replaceAll('"', '""')}"`
      const [entry] = read(`name,username,password\n${quoted},${quoted},${quoted}\n`).entries
      expect(entry).toMatchObject({ name: text, username: text, password: text })
    }
  })

  it.each(['', 'one column\nonly\n'])('that is none is refused: %j', (text) => {
    expect(() => read(text)).toThrow('form')
  })
})

describe('letters are read as they were written', () => {
  const text = 'namn,lösenord\nDörr,ÅÄÖ\n'
  it.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16le', Buffer.from(text, 'utf16le')],
    ['utf-16be', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['windows-1252', Buffer.from(text, 'latin1')],
  ])('%s', (encoding, bytes) => {
    expect(decodeText(bytes)).toEqual({ text, encoding })
    expect(read(decodeText(bytes).text).entries).toMatchObject([{ name: 'Dörr', password: 'ÅÄÖ' }])
  })
})

const export1 = {
  encrypted: false,
  folders: [{ id: 'f', name: 'Work/Mail' }],
  items: [
    {
      folderId: 'f',
      type: 1,
      name: 'Mail',
      notes: 'About it',
      fields: [{ name: 'PUK', value: '77', type: 1 }],
      login: {
        uris: [{ uri: 'https://a.example' }, { uri: 'https://b.example' }],
        username: 'ann',
        password: 'pw',
        totp: 'JBSW',
      },
    },
    { type: 2, name: 'Note', notes: 'Only this', secureNote: { type: 0 } },
    {
      type: 3,
      name: 'Card',
      card: { number: '4111', expMonth: '1', expYear: '2030', code: '123', cardholderName: 'Ann' },
    },
    { type: 1, name: '', login: null },
    'no item',
  ],
}

describe('the seed of an entry of KeePass', () => {
  const of = (fields: Readonly<Record<string, string>>) => seedAmong(new Map(Object.entries(fields)))
  const address = 'otpauth://totp/Mail:ann?secret=JBSWY3DP&issuer=Mail'

  it.each([
    [{ otp: address }, address],
    [{ otp: 'key=jbswy3dp&size=8&step=60' }, 'otpauth://totp/KeePass?secret=JBSWY3DP&digits=8&period=60'],
    [
      { 'TimeOtp-Secret-Base32': 'JBSW Y3DP', 'TimeOtp-Algorithm': 'HMAC-SHA-256', 'TimeOtp-Length': '8' },
      'otpauth://totp/KeePass?secret=JBSWY3DP&digits=8&algorithm=SHA256',
    ],
    [{ 'TimeOtp-Secret': 'Hello' }, 'otpauth://totp/KeePass?secret=JBSWY3DP'],
    [{ 'TimeOtp-Secret-Hex': '48656c6c6f' }, 'otpauth://totp/KeePass?secret=JBSWY3DP'],
    [{ 'TimeOtp-Secret-Base64': 'SGVsbG8=' }, 'otpauth://totp/KeePass?secret=JBSWY3DP'],
    [{ 'TOTP Seed': 'JBSWY3DP', 'TOTP Settings': '60;8' }, 'otpauth://totp/KeePass?secret=JBSWY3DP&digits=8&period=60'],
  ])('is found among %j', (fields, totp) => {
    const found = of({ PUK: '77', ...fields })
    expect(found?.totp).toBe(totp)
    expect(Object.keys(fields).filter((name) => found?.fields.includes(name) !== true)).toEqual([])
    expect(found?.fields).not.toContain('PUK')
  })

  it.each([
    { otp: 'otpauth://hotp/x?secret=JBSW&counter=1' },
    { otp: 'key=JBSW&type=Hotp' },
    { otp: 'key=00ff&encoding=hex' },
    { 'TimeOtp-Secret-Hex': 'no digits' },
    { 'TimeOtp-Secret-Base64': '====' },
    { 'TOTP Seed': 'JBSW', 'TOTP Settings': '30;S' },
    { PUK: '77' },
  ])('is not among %j', (fields) => expect(of(fields)).toBeUndefined())
})

describe('an export of Bitwarden', () => {
  it('is read with folders, more addresses, own fields and cards', () => {
    const { entries, defects } = readBitwarden(JSON.stringify(export1))
    expect(isBitwarden(JSON.stringify(export1))).toBe('open')
    expect(defects).toEqual([
      { at: 4, why: 'empty' },
      { at: 5, why: 'form' },
    ])
    expect(entries).toMatchObject([
      {
        folders: ['Work', 'Mail'],
        name: 'Mail',
        totp: 'JBSW',
        more: [
          { label: 'URL', value: 'https://b.example' },
          { label: 'PUK', value: '77' },
        ],
      },
      { name: 'Note', notes: 'Only this' },
      { card: { number: '4111', expires: '1/2030', code: '123', owner: 'Ann' } },
    ])
  })

  const opened = (file: string, passphrase: string) => openBitwarden(file, passphrase, () => undefined)
  const changed = (file: string, members: object): string =>
    JSON.stringify({ ...(JSON.parse(file) as object), ...members })

  it('under a pass phrase is opened by it, and by no other', async () => {
    const text = JSON.stringify(export1)
    const [salt, iterations] = ['c2FsdA==', 5_000]
    const key = pbkdf2Sync('a pass phrase', salt, iterations, 32, 'sha256')
    const file = sealedExport(text, key, { salt, kdfType: 0, kdfIterations: iterations })
    expect(isBitwarden(file)).toBe('protected')
    expect(await opened(file, 'a pass phrase')).toBe(text)
    await expect(opened(file, 'another')).rejects.toThrow('passphrase')
    await expect(opened(changed(file, { kdfType: 2 }), 'a pass phrase')).rejects.toThrow('kdf')
    await expect(opened(changed(file, { kdfIterations: 1e12 }), 'x')).rejects.toThrow('cost')
    await expect(opened(changed(file, { data: '2.x' }), 'a pass phrase')).rejects.toThrow('form')
  })

  // Key, pass phrase and salt are a test vector of Bitwarden's own (bitwarden-crypto, keys/kdf.rs).
  const vector = {
    passphrase: '67t9b5g67$%Dh89n',
    key: Buffer.from('z/DhsaITo0xiarOv4AkR8BST7S/2lo24PuGD8jM14fI=', 'base64'),
    stated: { salt: 'test_key', kdfType: 1, kdfIterations: 4, kdfMemory: 32, kdfParallelism: 2 },
  }

  it('whose pass phrase is hashed by Argon2id is opened by it, as Bitwarden hashes it', async () => {
    const { passphrase, key, stated } = vector
    const text = JSON.stringify(export1)
    const file = sealedExport(text, key, stated)
    const told: number[] = []
    expect(await openBitwarden(file, passphrase, (progress) => told.push(progress))).toBe(text)
    expect(told.at(-1)).toBe(1)
    await expect(opened(file, 'another')).rejects.toThrow('passphrase')
    const [, data = ''] = /"data":"([^"]+)"/.exec(file) ?? []
    const bent = data.slice(0, -4) + (data.endsWith('AAA=') ? 'BBA=' : 'AAA=')
    await expect(opened(changed(file, { data: bent }), passphrase)).rejects.toThrow('passphrase')
  })

  it.each([
    ['cost', { kdfMemory: 1_025 }],
    ['cost', { kdfMemory: 2 ** 43 }],
    ['cost', { kdfIterations: 1_001 }],
    ['kdf', { kdfMemory: undefined }],
    ['kdf', { kdfParallelism: undefined }],
    ['kdf', { kdfIterations: undefined }],
    ['kdf', { kdfParallelism: 0 }],
    ['kdf', { kdfMemory: '32' }],
    ['kdf', { kdfIterations: 1.5 }],
  ])('is refused for %s before it is hashed: %j', async (why, members) => {
    const file = sealedExport('{}', vector.key, { ...vector.stated, ...members })
    await expect(opened(file, vector.passphrase)).rejects.toThrow(why)
  })

  it('that is encrypted for its account is refused, with what to do', () => {
    const text = JSON.stringify({ ...export1, encrypted: true, encKeyValidation_DO_NOT_EDIT: '2.a|b|c' })
    expect(() => readBitwarden(text)).toThrow('account')
  })

  it('counts the passwords that its items had before', () => {
    const passwordHistory = ['one', 'two'].map((password) => ({ lastUsedDate: '2025-01-01T00:00:00.000Z', password }))
    const items = [
      { type: 1, name: 'Mail', passwordHistory },
      { type: 1, name: 'Door', passwordHistory: null },
    ]
    expect(readBitwarden(JSON.stringify({ items }))).toMatchObject({ leftPasswords: 2 })
  })

  it('keeps the key of an SSH item', () => {
    const sshKey = { privateKey: 'PRIVATE', publicKey: 'ssh-ed25519 AAAA', keyFingerprint: 'SHA256:x' }
    const { entries } = readBitwarden(JSON.stringify({ items: [{ type: 5, name: 'Key', sshKey }] }))
    expect(entries.map(planObject)).toMatchObject([
      {
        templateid: '8',
        fields: { note: 'privateKey: PRIVATE\npublicKey: ssh-ed25519 AAAA\nkeyFingerprint: SHA256:x' },
        secret: ['note'],
      },
    ])
  })

  it.each(['{}', '[]', '{"items":{}}', 'null', '{'])('that is none is told apart: %s', (text) => {
    expect(isBitwarden(text)).toBeUndefined()
    expect(() => readBitwarden(text)).toThrow('form')
  })
})

describe('what an entry becomes', () => {
  const entry = (members: Partial<Entry>): Entry => ({ ...blankEntry, at: 2, name: 'Thing', ...members })

  it.each([
    ['a login', { username: 'ann', password: 'pw', url: 'https://x' }, '20', ['password']],
    [
      'a login still, where there is more to say',
      { username: 'ann', password: 'pw', notes: 'n' },
      '37',
      ['password', 'cryptedinfo'],
    ],
    ['a login with its seed', { username: 'ann', password: 'pw', totp: 'JBSW' }, '37', ['password', 'totp']],
    ['a note, where there is no password', { username: 'ann', totp: 'JBSW', notes: 'n' }, '8', ['note']],
    ['a card', { card: { number: '1', expires: '', code: '2', owner: '' } }, '11', ['cardno', 'cvc']],
  ])('%s', (_what, members, templateid, secret) => {
    expect(planObject(entry(members))).toMatchObject({ templateid, secret, name: 'Thing' })
  })

  it('says of a login all that the file says, each in its place', () => {
    const more = [{ label: 'PUK', value: '77' }]
    const login = { username: 'ann', password: 'pw', url: 'https://x', totp: 'JBSW' }
    expect(planObject(entry({ ...login, notes: 'n', more })).fields).toEqual({
      ...login,
      name: 'Thing',
      cryptedinfo: 'n\nPUK: 77',
    })
    expect(planObject(entry({ totp: 'JBSW' })).fields).toEqual({ name: 'Thing', note: 'TOTP: JBSW' })
  })

  it('a note, where a card has more to say than a card holds', () => {
    const card = { number: '4111', expires: '1/2030', code: '123', owner: 'Ann' }
    const more = [{ label: 'PIN', value: '77' }]
    expect(planObject(entry({ card, username: 'ann', password: 'pw', notes: 'n', more }))).toMatchObject({
      templateid: '8',
      fields: {
        note: 'Card: 4111\nExpires: 1/2030\nCode: 123\nOwner: Ann\nUsername: ann\nPassword: pw\nn\nPIN: 77',
      },
      secret: ['note'],
    })
    expect(planObject(entry({ card, more }))).toMatchObject({ templateid: '8' })
  })

  it('has what its template asks for, and a name of one line', () => {
    expect(planObject(entry({ name: 'a\nb\0', password: 'pw' }))).toMatchObject({
      name: 'a b',
      fields: { username: '-' },
    })
    expect(planObject(entry({ name: '', url: 'https://x', password: 'pw' })).name).toBe('https://x')
    expect(planObject(entry({ name: 'x'.repeat(5_000) })).name).toHaveLength(250)
  })

  it('is a duplicate by name, user and address, in whatever case, of the vault or of the file', () => {
    const plans = [
      entry({ username: 'ann', password: '1' }),
      entry({ username: 'ANN', password: '2' }),
      entry({ username: 'bob', password: '3' }),
    ].map(planObject)
    expect(duplicatesAmong(plans, [])).toEqual(new Set([plans[1]]))
  })

  it('brings its files, which are duplicates with their entry alone', () => {
    const files = ['a.txt', 'b\n/c'].map((name) => ({ name, content: new ArrayBuffer(1) }))
    const plans = [
      entry({ password: '1', files }),
      entry({ at: 3, name: 'Other', password: '2', files }),
      entry({ at: 4, name: '', files }),
    ].flatMap(planObjects)
    expect(plans.map(({ key, name }) => [key, name])).toEqual([
      ['2', 'Thing'],
      ['2/1', 'a.txt'],
      ['2/2', 'b /c'],
      ['3', 'Other'],
      ['3/1', 'a.txt'],
      ['3/2', 'b /c'],
      ['4/1', 'a.txt'],
      ['4/2', 'b /c'],
    ])
    const there = [{ objectname: 'Thing', public: { username: '-' } }]
    const named = (objectname: string) => ({ objectname, public: {} })
    const duplicates = (present: readonly { objectname: string; public: Record<string, string> }[]): string[] =>
      [...duplicatesAmong(plans, present)].map(({ key }) => key)
    // The last entry says nothing itself, so that nothing tells whether the vault has it.
    expect(duplicates([])).toEqual([])
    expect(duplicates(there)).toEqual(['2'])
    expect(duplicates([...there, named('a.txt'), named('b /c')])).toEqual(['2', '2/1', '2/2'])
  })
})
