import { StrongroomError } from '@strongroom/client'
import type { Command } from 'commander'
import { connect, targetOf } from '../connection.ts'
import { LoginNeeded, sentenceOf } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { storeOf } from '../secret-store.ts'
import type { Terminal } from '../terminal.ts'

export function addLogout(program: Command): void {
  program
    .command('logout')
    .description('end the session at the appliance, and forget it')
    .option('--forget', 'forget the application key, too, and do not wait for the appliance')
    .addHelpText('after', '\nExample:\n  strongroom-cli logout')
    .action(answering(logOut))
}

async function logOut({ url: option, terminal }: Invocation, { forget = false }: { readonly forget?: boolean }) {
  const { url, known } = targetOf(option)
  let ended = false
  let sentence = `There is no session at ${url} any more.`
  try {
    ended = await end(option, terminal)
    if (ended) sentence = `Logged out of ${url}.`
  } catch (error) {
    // With --forget, an unreachable appliance is no error: it ends the session after its timeout.
    if (!forget || !(error instanceof StrongroomError)) throw error
    sentence = `${sentenceOf(error)} The session is forgotten here, and ends there by itself when it has been idle.`
  }
  if (known.kept !== undefined) {
    const store = storeOf(url, known.kept)
    store.remove('session')
    if (forget) store.remove('application-key')
  }
  return { json: { url, ended }, text: `${sentence}\n` }
}

/** Ends the session. Resolves to whether there was one. */
async function end(option: string | undefined, terminal: Terminal): Promise<boolean> {
  let connection: ReturnType<typeof connect>
  try {
    connection = connect(option, terminal)
  } catch (error) {
    if (error instanceof LoginNeeded) return false
    throw error
  }
  try {
    // The client's own logout does not tell a session that had ended already.
    await connection.client.call('auth.logout')
    return true
  } catch (error) {
    if (error instanceof StrongroomError && error.code === 'session.invalid') return false
    throw error
  } finally {
    connection.close()
  }
}
