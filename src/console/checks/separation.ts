import { statSync } from 'node:fs'
import { findingsOf, type Check } from './findings.ts'

const { ok, warning, problem } = findingsOf('separation')

const remedy =
  'Let systemd run keeper and token hosts under a user of their own: "Separate users" in docs/operations.md.'

/** Whether the workers, which face the network, run under a user who cannot read the PIN. */
export const separationCheck: Check = {
  topic: 'separation',
  run({ hsm, audit }) {
    if (hsm.spawn)
      return [
        warning(
          'this is a trial: keeper and token hosts run under the user of the daemon, so a worker that is taken over can read the PIN',
          remedy,
        ),
      ]
    // The trail is the daemon's own; the PIN is readable for its owner alone, or "permissions" says otherwise.
    const owners = [hsm.pinFile, audit.directory].map((path) => statSync(path, { throwIfNoEntry: false })?.uid)
    const [ofPin, ofTrail] = owners
    if (ofPin === undefined || ofTrail === undefined || ofPin === 0 || ofPin !== ofTrail)
      return [ok('the user of the daemon does not own the PIN')]
    return [problem(`${hsm.pinFile} belongs to the user of the daemon, whose workers can read it`, remedy)]
  },
}
