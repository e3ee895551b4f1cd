import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readCertificates } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { readJwksFile } from '../../hsm/jwks.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { may, usersOf, type Users } from './process-owners.ts'

const topic = 'issuers'
const { ok, problem } = findingsOf(topic)

interface IssuerFile {
  readonly issuer: string
  /** The name of its option. */
  readonly setting: string
  readonly file: string
  /** Throws if the file cannot be used. */
  readonly read: () => void
  /** The processes that read it at each login. */
  readonly reader: 'workers' | 'inside'
}

/**
 * Checks that the key files of issuers can be read, and that only the operator can write them. An additional key in
 * such a file gives access to every service account that trusts the issuer.
 */
export const issuersCheck: Check = {
  topic,
  run(config) {
    const { issuers } = config.service
    if (issuers.length === 0) return []
    const users = usersOf(config)
    const findings = filesOf(config).flatMap((file) => {
      const unreadable = readingFinding(file, users)
      return [...(unreadable === undefined ? writingFindings(file, users) : [unreadable])]
    })
    return findings.length > 0 ? findings : [ok(`the keys of ${count(issuers.length, 'issuer')} can be read`)]
  },
}

function filesOf({ service }: Config): IssuerFile[] {
  return service.issuers.flatMap(({ issuer, jwksFile, jwksCa }, at) => {
    const setting = (name: string) => `service.issuers.${at}.${name}`
    const files: IssuerFile[] = []
    if (jwksFile !== undefined) {
      const read = () => checkKeys(jwksFile)
      files.push({ issuer, setting: setting('jwksFile'), file: jwksFile, read, reader: 'inside' })
    }
    if (jwksCa !== undefined) {
      const read = () => void readCertificates(jwksCa)
      files.push({ issuer, setting: setting('jwksCa'), file: jwksCa, read, reader: 'workers' })
    }
    return files
  })
}

function checkKeys(file: string): void {
  if (readJwksFile(file).length === 0)
    throw new TypeError('the JWK set holds no key of Ed25519, P-256 or RSA that is for signatures')
}

function readingFinding({ issuer, setting, file, read, reader }: IssuerFile, users: Users): Finding | undefined {
  const consequence = `logins by tokens of ${issuer} are refused until then`
  try {
    read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unreadable'
    return problem(
      `${file} (${setting}) cannot be used: ${reason}`,
      `Correct the file or the setting: ${consequence}. docs/applications.md says where its keys come from.`,
    )
  }
  const user = users[reader]
  if (user === undefined || may(user, '-r', file)) return undefined
  const process = reader === 'inside' ? 'the keeper' : 'the workers'
  return problem(
    `${file} (${setting}) cannot be read by ${user.name}, the user of ${process}`,
    `chmod a+r ${file}, and let that user enter its folders: ${consequence}.`,
  )
}

function writingFindings({ setting, file }: IssuerFile, { workers, inside }: Users): Finding[] {
  const findings: Finding[] = []
  for (const path of [file, dirname(file)]) {
    const { mode, uid } = statSync(path)
    const isSticky = path !== file && (mode & 0o1000) !== 0
    if ((mode & 0o022) !== 0 && !isSticky)
      findings.push(
        problem(
          `${path} (${setting}) may be written by others (mode ${(mode & 0o7777).toString(8).padStart(4, '0')}), who could add keys of their own`,
          `chmod go-w ${path}`,
        ),
      )
    // If all processes have one user, the check "separation" reports the larger problem.
    if (uid === workers?.uid && uid !== 0 && uid !== inside?.uid)
      findings.push(
        problem(
          `${path} (${setting}) belongs to ${workers.name}, the user of the workers: one that is taken over could add keys of its own`,
          `chown root: ${path}`,
        ),
      )
  }
  return findings
}
