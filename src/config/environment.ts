import { userInfo } from 'node:os'

/**
 * The settings that the service manager passes to this process in its environment (sd_notify(3),
 * sd_watchdog_enabled(3), systemd.exec(5)).
 */
export interface Environment {
  /** Whether standard error goes to the journal and not to a terminal. */
  readonly journal: boolean
  /** Whether systemd expects notifications. */
  readonly notify: boolean
  /** Time after which systemd kills the daemon unless it reports itself alive. */
  readonly watchdogMs: number | undefined
  /**
   * Names of the sockets that systemd passed (FileDescriptorName=). The first of them is descriptor 3
   * (sd_listen_fds(3)).
   */
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

/** The name of the operator for the audit trail: the caller of sudo(8), otherwise the user of this process. */
export function operatorName(): string {
  // Trusted only for root, whose SUDO_USER sudo has set; any other user can set the variable.
  const caller = process.getuid?.() === 0 ? process.env['SUDO_USER'] : undefined
  if (caller !== undefined && caller !== '') return caller
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** The environment of this process, with these variables added, for a child process. */
export const environmentWith = (more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...more,
})
