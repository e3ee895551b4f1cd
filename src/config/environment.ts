import { userInfo } from 'node:os'

/**
 * What the service manager told this process in its environment (sd_notify(3), sd_watchdog_enabled(3),
 * systemd.exec(5)).
 */
export interface Environment {
  /** Whether standard error goes to the journal rather than to a person. */
  readonly journal: boolean
  /** Whether systemd waits for notifications. */
  readonly notify: boolean
  /** How soon systemd kills a daemon that does not report itself alive. */
  readonly watchdogMs: number | undefined
  /** Names of the sockets that it passed (FileDescriptorName=), the first of which is descriptor 3 (sd_listen_fds(3)). */
  readonly passedSockets: readonly string[]
}

export function readEnvironment(): Environment {
  const { JOURNAL_STREAM, NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID, LISTEN_FDNAMES } = process.env
  const watched = WATCHDOG_USEC !== undefined && (WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === process.pid)
  return {
    journal: JOURNAL_STREAM !== undefined,
    notify: NOTIFY_SOCKET !== undefined,
    watchdogMs: watched ? Number(WATCHDOG_USEC) / 1000 : undefined,
    passedSockets: LISTEN_FDNAMES?.split(':') ?? [],
  }
}

/**
 * The name of the administrator at the keyboard, for the audit trail: the caller of sudo(8), else the user of this
 * process.
 */
export function operatorName(): string {
  // Any user may set the variable; sudo sets it for processes of root.
  const caller = process.getuid?.() === 0 ? process.env['SUDO_USER'] : undefined
  if (caller !== undefined && caller !== '') return caller
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The environment for a program that is started, with these variables beside those of this process. */
export const environmentWith = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...more,
})
