import { expect, it } from 'vitest'
import { decodeContent, encodeContent, mostBackupVersions } from '../../../src/hsm/key-backup-record.ts'

it('the longest backup that is made can be read', () => {
  const version = {
    disabled: 0,
    createdAt: 1,
    invocations: 0,
    kek: 'backup.v1',
    blob: Buffer.alloc(40),
    publicKey: null,
  }
  const backup = {
    origin: { vault: '00', appliance: '00' },
    type: 'aes256-gcm96',
    info: '',
    allowExport: 0,
    allowPlaintextExport: 0,
    allowDelete: 0,
    autoRotatePeriodMs: 0,
    minEncryptionVersion: 1,
    minDecryptionVersion: 1,
    versions: Array.from({ length: mostBackupVersions }, (_, at) => ({ ...version, version: at + 1 })),
  }
  expect(decodeContent(encodeContent(backup)).versions).toHaveLength(mostBackupVersions)
})
