import { createDecipheriv, randomBytes } from 'node:crypto'
import pkcs11, { type Template } from 'pkcs11js'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { mechanismName, oaep } from '../../src/hsm/pkcs11/mechanisms.ts'
import { change } from '../../src/store/statement.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { processesOf } from '../support/fault-kit.ts'
import { totpCode } from '../support/hardware-token.ts'
import { type PinSession, type SeenObject, withPin } from '../support/pin-session.ts'
import { rsaAesWrap } from '../support/rsa-aes-wrap.ts'
import { applianceOfRelease020 } from '../support/release-020.ts'
import { makeVault } from '../support/vault.ts'
import { openByVaultKey } from '../support/vault-key-opener.ts'

// The attacker has the PIN and the module, and a copy of the database, but not the SO PIN.

interface Row {
  readonly kek: string
  readonly blob: string
  readonly backup_kek: string | null
  readonly backup_blob: string | null
}

const appliance = applianceForTests(() => TestAppliance.own())
let rows: Row[]

const keyWraps = [0x2109, 0x210a]
const secretKinds = [pkcs11.CKK_AES, pkcs11.CKK_GENERIC_SECRET]
const isRoot = ({ label, objectClass }: SeenObject) =>
  label.startsWith('strongroom.') && objectClass !== pkcs11.CKO_PUBLIC_KEY
const isSecret = ({ objectClass }: SeenObject) => objectClass === pkcs11.CKO_SECRET_KEY

beforeAll(async () => {
  const vault = await makeVault(appliance)
  for (const type of ['aes256-gcm96', 'hmac-sha256'])
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/${type}`, { type })
  rows = await rowsOf(appliance)
})

const rowsOf = ({ store }: TestAppliance) =>
  store.read.query<Row[]>('SELECT kek, blob, backup_kek, backup_blob FROM key_versions')

const blobsOf = (found: readonly Row[]): string[] =>
  found.flatMap(({ blob, backup_blob }) => [blob, ...(backup_blob === null ? [] : [backup_blob])])

/** Labels of the keys from which one of these blobs can be unwrapped and read. */
function readFrom(token: Parameters<typeof withPin>[0], blobs: readonly string[]): Set<string> {
  return withPin(token, (pin) => {
    const wrapping = knownWrappingKey(pin)
    const labels = pin.objects.filter(isSecret).flatMap(({ handle, label }) =>
      blobs.flatMap((blob) =>
        keyWraps.flatMap((mechanism) =>
          [...templates()].flatMap((template) => {
            const key = pin.unwrap({ mechanism }, handle, Buffer.from(blob, 'base64'), template)
            return key !== undefined && readBy(pin, key, wrapping) !== undefined ? [label] : []
          }),
        ),
      ),
    )
    return new Set(labels)
  })
}

/** All templates for an unwrapped key that could be read, or wrapped to be read. */
function* templates(): Generator<Template> {
  for (const keyType of secretKinds)
    for (const [sensitive, extractable] of [
      [false, true],
      [true, true],
      [false, false],
    ])
      yield [
        { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
        { type: pkcs11.CKA_KEY_TYPE, value: keyType },
        { type: pkcs11.CKA_TOKEN, value: false },
        { type: pkcs11.CKA_PRIVATE, value: true },
        { type: pkcs11.CKA_SENSITIVE, value: sensitive === true },
        { type: pkcs11.CKA_EXTRACTABLE, value: extractable === true },
      ]
}

/** A wrapping key whose value the attacker knows. */
function knownWrappingKey({ lib, session }: PinSession): Buffer {
  return lib.C_CreateObject(session, [
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
    { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_AES },
    { type: pkcs11.CKA_TOKEN, value: false },
    { type: pkcs11.CKA_WRAP, value: true },
    { type: pkcs11.CKA_VALUE, value: randomBytes(32) },
  ])
}

/** The value of the key, or its blob under a key that the attacker knows; undefined where neither can be had. */
function readBy({ lib, attempt, valueOf }: PinSession, key: Buffer, wrapping: Buffer): Buffer | undefined {
  const plain = valueOf(key)
  if (plain !== undefined && plain.length > 0) return plain
  for (const mechanism of keyWraps) {
    const wrapped = attempt((fresh) => lib.C_WrapKey(fresh, { mechanism }, wrapping, key, Buffer.alloc(4096)))
    if (wrapped !== undefined) return wrapped
  }
  return undefined
}

/** What the private key of an import job decrypts, which the attacker unwraps with the usage that he wants. */
function decryptedByJob(job: Pick<Row, 'kek' | 'blob'>, wrapped: Buffer): Buffer | undefined {
  return withPin(appliance.token, ({ lib, session, objects, unwrap, attempt }) => {
    const kek = objects.find(({ label }) => label === `strongroom.kek.${job.kek}`)
    if (kek === undefined) throw new Error(`the token has no ${job.kek}`)
    const key = unwrap({ mechanism: keyWraps[1] ?? 0 }, kek.handle, Buffer.from(job.blob, 'base64'), [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
      { type: pkcs11.CKA_KEY_TYPE, value: pkcs11.CKK_RSA },
      { type: pkcs11.CKA_TOKEN, value: false },
      { type: pkcs11.CKA_PRIVATE, value: true },
      { type: pkcs11.CKA_SENSITIVE, value: true },
      { type: pkcs11.CKA_EXTRACTABLE, value: false },
      { type: pkcs11.CKA_DECRYPT, value: true },
    ])
    return (
      key &&
      attempt(() => {
        lib.C_DecryptInit(session, oaep, key)
        return lib.C_Decrypt(session, wrapped, Buffer.alloc(wrapped.length))
      })
    )
  })
}

describe('an attacker with the PIN', () => {
  // The private key of a job unwraps keys whose readability PKCS#11 leaves to the caller, and SoftHSM2 nests no templates.
  it('reads an imported key, where what its sender sent was seen and its job was still in the database', async () => {
    const vault = await makeVault(appliance)
    const { CALLINFO } = await vault.admin.must('POST', `/transparent/import_job/${vault.id}/sent`, {
      type: 'aes256-gcm96',
    })
    const [job] = await appliance.store.read.query<Pick<Row, 'kek' | 'blob'>[]>('SELECT kek, blob FROM import_jobs')
    if (job === undefined) throw new Error('no job')
    const value = randomBytes(32)
    const sent = rsaAesWrap(Buffer.from(String(CALLINFO['public_key_der']), 'base64'), value)
    const outer = decryptedByJob(job, sent.subarray(0, -(value.length + 8)))
    const decipher = createDecipheriv('id-aes256-wrap-pad', outer ?? randomBytes(32), Buffer.from('a65959a6', 'hex'))
    expect(Buffer.concat([decipher.update(sent.subarray(-(value.length + 8))), decipher.final()])).toEqual(value)
    await vault.admin.must('POST', `/transparent/import/${vault.id}/sent`, {
      job: CALLINFO['job'],
      wrapped_key: sent.toString('base64'),
    })
    expect(await appliance.store.read.query('SELECT kek, blob FROM import_jobs')).toEqual([])
  })

  it('reads no key of the database, from under whichever key of the token', () => {
    expect(blobsOf(rows)).toHaveLength(4)
    expect(readFrom(appliance.token, blobsOf(rows))).toEqual(new Set())
  })

  it('reads no backup of a key of release 0.2.0, once the operator has run init of this one', async () => {
    const earlier = await applianceOfRelease020()
    // Keys of the vault whose data key is an object in the token, except those that were made exportable.
    const strictRows = (columns = '') =>
      earlier.database((connection) =>
        connection
          .prepare(
            `SELECT v.kek, v.blob, v.backup_kek, v.backup_blob ${columns} FROM key_versions v
             JOIN transparent_keys k ON k.id = v.key_id JOIN vaults a ON a.id = k.vault_id
             WHERE k.vault_id = 1 AND k.allow_export = 0 AND k.residency = 'database'`,
          )
          .all(),
      ) as (Row & { readonly key_id: string; readonly identity: string; readonly vault: string })[]
    const yesterday = blobsOf(strictRows())
    expect(readFrom(earlier, yesterday)).toContain('strongroom.kek.backup.v1')
    expect(await strongroom(earlier.configFile, ['init'])).toMatchObject({ status: 0, stderr: '' })
    // With the PIN, the data key of the vault opens the outer wrapping.
    const after = strictRows(', a.key_id, a.identity AS vault, k.identity').flatMap(
      ({ key_id, identity, vault, blob, backup_blob }) =>
        Object.entries({ 'key version': blob, backup: backup_blob ?? '' }).map(([content, outer]) => {
          const aad = encodeRecord([content, Buffer.from(identity, 'base64'), Buffer.from(vault, 'hex')])
          const inner = openByVaultKey(earlier, Buffer.from(key_id, 'hex'), Buffer.from(outer, 'base64'), aad)
          return inner.toString('base64')
        }),
    )
    expect(after).toHaveLength(yesterday.length)
    expect(readFrom(earlier, after)).toEqual(new Set())
    // A copy of the earlier database is useful only while the KEK exists.
    expect(readFrom(earlier, yesterday)).toEqual(new Set(['strongroom.kek.backup.v1']))
    const destroying = ['root-keys', 'rotate', 'kek.backup', '--destroy-unused', '--yes']
    expect(await strongroom(earlier.configFile, destroying)).toMatchObject({ status: 0, stderr: '' })
    expect(readFrom(earlier, [...yesterday, ...after])).toEqual(new Set())
  })

  it('reads no root key and no vault key', () => {
    const got = withPin(appliance.token, (pin) => {
      const wrapping = knownWrappingKey(pin)
      const all = pin.objects.filter((object) => isRoot(object))
      const wrappers = [wrapping, ...all.map(({ handle }) => handle)]
      return all.flatMap(({ handle, label }) =>
        wrappers.some((one) => readBy(pin, handle, one) !== undefined) ? [label] : [],
      )
    })
    expect(got).toEqual([])
  })

  it('changes no attribute of a root or vault key, and copies none', () => {
    const changed = withPin(appliance.token, ({ lib, objects, attempt }) =>
      objects.filter(isRoot).flatMap(({ handle, label }) =>
        attributes().flatMap(([name, attribute]) => [
          ...(attribute.length > 0 &&
          attempt((fresh) => {
            lib.C_SetAttributeValue(fresh, handle, attribute)
            return true
          })
            ? [`${label}: set ${name}`]
            : []),
          ...(attempt((fresh) => lib.C_CopyObject(fresh, handle, attribute)) ? [`${label}: copied with ${name}`] : []),
        ]),
      ),
    )
    expect(changed).toEqual([])
  })

  it('uses each root and vault key by its own mechanisms alone', () => {
    const uses = withPin(appliance.token, ({ lib, objects, attempt, mechanisms, session }) => {
      const victim = lib.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, extractable)
      return Object.fromEntries(
        objects.filter(isRoot).map(({ handle, label }) => {
          const begun = mechanisms.flatMap((mechanism) => {
            const calls: Record<string, (fresh: Buffer) => unknown> = {
              encrypt: (fresh) => lib.C_EncryptInit(fresh, parametrised(mechanism), handle),
              decrypt: (fresh) => lib.C_DecryptInit(fresh, parametrised(mechanism), handle),
              sign: (fresh) => lib.C_SignInit(fresh, parametrised(mechanism), handle),
              verify: (fresh) => lib.C_VerifyInit(fresh, parametrised(mechanism), handle),
              wrap: (fresh) => lib.C_WrapKey(fresh, parametrised(mechanism), handle, victim, Buffer.alloc(4096)),
            }
            return Object.entries(calls).flatMap(([call, begin]) =>
              attempt((fresh) => [begin(fresh)]) === undefined ? [] : [`${call} ${mechanismName(mechanism)}`],
            )
          })
          return [label.replace(/^strongroom\./, '').replace(/\.v\d.*$/, ''), begun.toSorted()]
        }),
      )
    })
    const wraps = ['wrap AES_KEY_WRAP', 'wrap AES_KEY_WRAP_PAD']
    const hmac = ['sign SHA256_HMAC']
    expect(uses).toEqual({
      'kek.strict': wraps,
      'kek.exportable': wraps,
      'kek.backup': wraps,
      'kek.backup-exportable': wraps,
      'backup-seal': hmac,
      seal: hmac,
      pepper: hmac,
      audit: ['sign ECDSA'],
      vault: ['decrypt AES_GCM', 'encrypt AES_GCM'],
    })
  })
})

describe('a pass phrase and a one-time password that were captured', () => {
  const columns = 'id, counter, drift_steps, ticks, used_at'
  interface Counter {
    readonly id: number
    readonly counter: number
    readonly drift_steps: number
    readonly ticks: number | null
    readonly used_at: number | null
  }

  const countersOf = (userId: number) =>
    appliance.store.query<Counter & Record<string, unknown>>(`SELECT ${columns} FROM otp_devices WHERE user_id = $1`, [
      userId,
    ])

  /** Puts back the counters of before the login. */
  async function putBack(counters: readonly Counter[]): Promise<void> {
    for (const { id, counter, drift_steps, ticks, used_at } of counters)
      await appliance.store.transaction((tx) =>
        change(tx, 'UPDATE otp_devices SET counter = $1, drift_steps = $2, ticks = $3, used_at = $4 WHERE id = $5', [
          counter,
          drift_steps,
          ticks,
          used_at,
          id,
        ]),
      )
  }

  const logIn = async (body: object) => (await appliance.client().post('/auth', body)).status

  it.each(['hwkey_otp', 'totp'])('open no session (%s) once the counter was put back', async (logintype) => {
    const [user, bystander] = [await appliance.addUser(), await appliance.addUser()]
    const otp = logintype === 'totp' ? totpCode(user.totpSecret) : user.hardwareToken.press()
    const captured = { ...appliance.credentials(user), otp, logintype }
    const before = await countersOf(user.id)
    expect(await logIn(captured)).toBe(200)
    await putBack(before)
    expect(await logIn(captured)).toBe(403)
    // Also not after the keeper has lost its memory.
    const [keeper] = processesOf(appliance).keeper
    process.kill(keeper ?? 0, 'SIGKILL')
    await vi.waitFor(() => expect(processesOf(appliance).keeper).toEqual([expect.not.toBeOneOf([keeper])]), {
      timeout: 60_000,
    })
    // A login waits for a keeper that is being restarted, but on a busy machine not long enough.
    await vi.waitFor(() => appliance.login(bystander), 60_000)
    await putBack(before)
    expect(await logIn(captured)).toBe(403)
    expect(await logIn(appliance.credentials(user))).toBe(200)
  })
})

const extractable: Template = [
  { type: pkcs11.CKA_VALUE_LEN, value: 32 },
  { type: pkcs11.CKA_TOKEN, value: false },
  { type: pkcs11.CKA_EXTRACTABLE, value: true },
]

/** The mechanism with the parameter that it needs. */
function parametrised(mechanism: number) {
  if (mechanism === pkcs11.CKM_AES_GCM)
    return {
      mechanism,
      parameter: { type: pkcs11.CK_PARAMS_AES_GCM_v240, iv: Buffer.alloc(12), ivBits: 96, tagBits: 128 },
    }
  if (mechanism === pkcs11.CKM_RSA_PKCS_OAEP)
    return {
      mechanism,
      parameter: {
        type: pkcs11.CK_PARAMS_RSA_OAEP,
        hashAlg: pkcs11.CKM_SHA_1,
        mgf: pkcs11.CKG_MGF1_SHA1,
        source: 1,
        sourceData: Buffer.alloc(0),
      },
    }
  // CK_AES_CTR_PARAMS: the number of counter bits, then the counter block.
  if (mechanism === pkcs11.CKM_AES_CTR)
    return { mechanism, parameter: Buffer.concat([Buffer.from([128, 0, 0, 0, 0, 0, 0, 0]), Buffer.alloc(16)]) }
  return mechanism === pkcs11.CKM_AES_CBC || mechanism === pkcs11.CKM_AES_CBC_PAD
    ? { mechanism, parameter: Buffer.alloc(16) }
    : { mechanism }
}

const flags = [
  'TOKEN',
  'PRIVATE',
  'SENSITIVE',
  'EXTRACTABLE',
  'MODIFIABLE',
  'COPYABLE',
  'DESTROYABLE',
  'TRUSTED',
  'WRAP_WITH_TRUSTED',
  'ENCRYPT',
  'DECRYPT',
  'SIGN',
  'VERIFY',
  'WRAP',
  'UNWRAP',
  'DERIVE',
] as const

/** Each attribute with each possible value. */
function attributes(): [string, Template][] {
  return [
    ['nothing', []],
    ...flags.flatMap((name): [string, Template][] =>
      [true, false].map((value) => [`${name}=${value}`, [{ type: pkcs11[`CKA_${name}`], value }]]),
    ),
    ['LABEL', [{ type: pkcs11.CKA_LABEL, value: 'mine' }]],
    ['ID', [{ type: pkcs11.CKA_ID, value: Buffer.from('mine') }]],
    ['ALLOWED_MECHANISMS', [{ type: pkcs11.CKA_ALLOWED_MECHANISMS, value: Buffer.alloc(8) }]],
  ]
}
