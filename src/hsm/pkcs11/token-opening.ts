import { existsSync } from 'node:fs'
import pkcs11, { type PKCS11 } from 'pkcs11js'
import { Fault, isFault } from '../../fault.ts'
import { ownerOf } from '../../folder-owner.ts'
import { attempt, codeOf } from './failure.ts'
import { calledInFolder } from './folder-rights.ts'
import { openSession, type Pkcs11Session } from './pkcs11-session.ts'
import { chooseSlot, type ChosenSlot, parseTokenUri } from './slot-choice.ts'
import { hasCutOffFile, keepTokenFile, restoreTokenFiles } from './token-file.ts'
import type { UserPin } from './user-pin.ts'

/** How to reach the token. */
export interface TokenLocation {
  /** PKCS#11 module (`hsm.module`). */
  readonly module: string
  /** RFC 7512 URI (`hsm.token`). */
  readonly uri: string
  /** Path of softhsm2.conf (`hsm.softhsmConf`), only for SoftHSM2. */
  readonly softhsmConf?: string | undefined
  /** The folder of a software token (`hsm.tokenDirectory`). */
  readonly tokenDirectory?: string | undefined
  readonly pin: UserPin
}

/** A token after C_Initialize and login, before any search. */
export interface OpenToken extends ChosenSlot {
  readonly mechanisms: ReadonlySet<number>
  readonly session: Pkcs11Session
}

/**
 * Runs `work` with the token in this process, logged in as `user`, and finalizes the module afterwards.
 * @throws Fault `hsm.unavailable`; TokenFailure with remedy `fatal` when the PIN is refused
 */
export function withToken<T>(
  location: TokenLocation,
  work: (token: OpenToken) => T,
  user: number = pkcs11.CKU_USER,
): T {
  const lib = loadModule(location)
  let serial: string | undefined
  try {
    const token = openToken(lib, location, user)
    serial = token.info.serialNumber
    return work(token)
  } finally {
    finalize(lib)
    if (serial !== undefined) keepAfterUse(location, serial)
  }
}

/** Copies the token's file again, since an earlier PIN opens an earlier copy. */
function keepAfterUse({ tokenDirectory, pin }: TokenLocation, serial: string): void {
  if (tokenDirectory === undefined) return
  try {
    pin.alone(() => keepTokenFile(tokenDirectory, serial))
  } catch (error) {
    // The work is done. The next login makes the copy, or is refused.
    if (!isFault(error, 'hsm.unavailable')) throw error
  }
}

/**
 * Loads the vendor's PKCS#11 library into this process, without C_Initialize.
 * @throws Fault `hsm.unavailable` where the library cannot be loaded
 */
export function loadModule({
  module,
  softhsmConf,
  tokenDirectory,
}: Pick<TokenLocation, 'module' | 'softhsmConf' | 'tokenDirectory'>): PKCS11 {
  // SoftHSM2 reads the path of its configuration from the environment only. Node passes assignments on to setenv(3).
  if (softhsmConf !== undefined) process.env['SOFTHSM2_CONF'] = softhsmConf
  const lib = new pkcs11.PKCS11()
  try {
    lib.load(module)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new Fault('hsm.unavailable', `hsm.module ${module} cannot be loaded: ${reason}`, { cause: error })
  }
  return tokenDirectory === undefined || process.getuid?.() !== 0 || isOfRoot(tokenDirectory)
    ? lib
    : calledInFolder(lib, tokenDirectory)
}

const isOfRoot = (tokenDirectory: string): boolean => existsSync(tokenDirectory) && ownerOf(tokenDirectory).uid === 0

/**
 * Initialises the module again and logs in. C_Finalize comes first, even at the start: a SoftHSM2 that was initialised
 * while another process logged in may have missed the token.
 * @throws Fault `hsm.unavailable`; TokenFailure with remedy `fatal` when the PIN is refused
 */
export function openToken(
  lib: PKCS11,
  { uri, pin, tokenDirectory }: Pick<TokenLocation, 'uri' | 'pin' | 'tokenDirectory'>,
  user: number = pkcs11.CKU_USER,
): OpenToken {
  finalize(lib)
  if (tokenDirectory !== undefined && hasCutOffFile(tokenDirectory)) pin.alone(() => restoreTokenFiles(tokenDirectory))
  initialize(lib)
  const { slot, info } = chooseSlot(lib, parseTokenUri(uri))
  const session = openSession(slot)
  const token = {
    label: info.label,
    serial: info.serialNumber,
    isFinalTry: () => (lib.C_GetTokenInfo(slot.handle).flags & pkcs11.CKF_USER_PIN_FINAL_TRY) !== 0,
  }
  pin.present(token, (text) => {
    if (tokenDirectory !== undefined) keepTokenFile(tokenDirectory, info.serialNumber)
    login(lib, session.handle, user, text)
  })
  const mechanisms = new Set(attempt('session', () => lib.C_GetMechanismList(slot.handle)))
  return { slot, info, mechanisms, session }
}

/** C_Initialize. Without the locking flag SoftHSM2 crashes as soon as a second thread uses it. */
function initialize(lib: PKCS11): void {
  tolerating(pkcs11.CKR_CRYPTOKI_ALREADY_INITIALIZED, () => lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK }))
}

/** C_Finalize: ends all sessions and the login of this process and invalidates all handles. */
export function finalize(lib: PKCS11): void {
  tolerating(pkcs11.CKR_CRYPTOKI_NOT_INITIALIZED, () => lib.C_Finalize())
}

/** C_Login. One login is valid for the whole process. */
function login(lib: PKCS11, session: Buffer, user: number, pin: string): void {
  tolerating(pkcs11.CKR_USER_ALREADY_LOGGED_IN, () => attempt('login', () => lib.C_Login(session, user, pin)))
}

function tolerating(code: number, work: () => void): void {
  try {
    attempt('session', work)
  } catch (error) {
    if (codeOf(error) !== code) throw error
  }
}
