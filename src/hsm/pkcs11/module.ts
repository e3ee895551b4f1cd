import pkcs11, { type PKCS11 } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { attempt, codeOf } from './failure.ts'

export interface ModuleOptions {
  /** Path of the shared library (`hsm.module`). */
  readonly path: string
  /** Path of softhsm2.conf (`hsm.softhsmConf`), for SoftHSM2 alone. */
  readonly softhsmConf?: string | undefined
}

/**
 * Loads the vendor's PKCS#11 library into this process; it is not initialised yet.
 * Throws `hsm.unavailable` where the library cannot be loaded.
 */
export function loadModule(options: ModuleOptions): PKCS11 {
  // SoftHSM2 reads its configuration from the environment alone, and Node hands assignments to setenv(3).
  if (options.softhsmConf !== undefined) process.env['SOFTHSM2_CONF'] = options.softhsmConf
  const lib = new pkcs11.PKCS11()
  try {
    lib.load(options.path)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new Fault('hsm.unavailable', `hsm.module ${options.path} cannot be loaded: ${reason}`, { cause: error })
  }
  return lib
}

/** C_Initialize. Without the locking flag SoftHSM2 crashes as soon as a second thread appears. */
export function initialize(lib: PKCS11): void {
  tolerating(pkcs11.CKR_CRYPTOKI_ALREADY_INITIALIZED, () => lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK }))
}

/** C_Finalize: ends every session and login of this process and makes every handle void. */
export function finalize(lib: PKCS11): void {
  tolerating(pkcs11.CKR_CRYPTOKI_NOT_INITIALIZED, () => lib.C_Finalize())
}

/** C_Login as the user; one login holds for the whole process. */
export function login(lib: PKCS11, session: Buffer, pin: string): void {
  tolerating(pkcs11.CKR_USER_ALREADY_LOGGED_IN, () =>
    attempt('login', () => lib.C_Login(session, pkcs11.CKU_USER, pin)),
  )
}

function tolerating(code: number, work: () => void): void {
  try {
    attempt('session', work)
  } catch (error) {
    if (codeOf(error) !== code) throw error
  }
}
