/**
 * Has this process ignore a hangup, and SIGUSR1 and `more`.
 *
 * Other daemons open their logs again at SIGUSR1. Node.js opens a debugger on a port of the machine, by which each of its
 * users could run code in this process. SIGHUP is for the primary, which reads the certificate again; but a terminal
 * sends it to the whole group, and pkill to every process of that name.
 */
export function ignoreSignals(...more: readonly NodeJS.Signals[]): void {
  for (const signal of ['SIGUSR1', 'SIGHUP', ...more]) process.on(signal, () => undefined)
}
