import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'

/** Characters that are estimated, as in the appliance's `passphrase-policy.ts`. */
const estimatedCharacters = 40
const knownWords = ['strongroom', 'vault', 'passphrase']
const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: 10 })

/** The strength of a pass phrase, from 0 to 4. */
export const estimateStrength = (passphrase: string, known: string): number =>
  estimator.check(passphrase.slice(0, estimatedCharacters), [known, ...knownWords]).score
