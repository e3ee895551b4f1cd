import { userInfo } from 'node:os'

/** The name of the person at the keyboard, for the audit trail: whoever called sudo(8), else the user of this process. */
export function operatorName(): string {
  // Anybody may set the variable; only a process that root started is told it by sudo.
  const caller = process.getuid?.() === 0 ? process.env['SUDO_USER'] : undefined
  if (caller !== undefined && caller !== '') return caller
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
