import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { adoptBackupKeys, beginCeremony } from '../../src/hsm/pkcs11/backup-adoption.ts'
import {
  type BackupSharingOptions,
  type SharedBackupKeys,
  shareBackupKeys,
} from '../../src/hsm/pkcs11/backup-sharing.ts'
import { digestOf } from '../../src/hsm/pkcs11/ceremony-papers.ts'
import { knownPin } from '../../src/hsm/pkcs11/user-pin.ts'
import type { TestToken } from './token.ts'

export function ceremonyOptions(token: TestToken): BackupSharingOptions {
  return {
    module: token.module,
    uri: token.tokenUri,
    softhsmConf: token.softhsmConf,
    tokenDirectory: token.tokenDirectory,
    pin: knownPin(readFileSync(token.pinFile, 'utf8')),
    soPin: readFileSync(token.soPinFile, 'utf8'),
    ceremony: join(resolve(import.meta.dirname, '../..'), 'dist/hsm/ceremony'),
  }
}

/** Performs a whole ceremony, in which each operator hears what the other one reads. No token host may run on `to`. */
export function holdCeremony(from: TestToken, to: TestToken): SharedBackupKeys {
  const request = beginCeremony(ceremonyOptions(to))
  const shared = shareBackupKeys(ceremonyOptions(from), request, digestOf(request))
  adoptBackupKeys(ceremonyOptions(to), shared.package, digestOf(shared.package))
  return shared
}
