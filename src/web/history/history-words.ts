import { inBoth } from '../words/language.tsx'

/** The texts for the history of an object. */
export const historyWords = inBoth(
  {
    title: (object: string) => `History of ${object}`,
    kind: 'Object history',
    introduction: (kept: number) =>
      `Earlier versions, newest first. ${kept === 1 ? 'Only the last one is kept.' : `The last ${kept.toLocaleString('en')} are kept.`}`,
    keepsNone: 'This vault keeps no earlier versions.',
    nothing: 'No earlier versions yet. One is kept each time the object is edited.',
    version: (number: string) => `Version ${number}`,
    replacedBy: (name: string) => `Replaced by ${name}`,
    name: 'Name',
    useAgain: 'Restore this version',
    useAgainOf: (number: string) => `Restore this version: ${number}`,
    askTitle: (number: string) => `Restore version ${number}?`,
    askText:
      'Its values are saved as a new version. The current values go to the history, and the file does not change.',
    askGo: 'Restore',
    usedAgain: (number: string) => `The values of version ${number} are restored.`,
  },
  {
    title: (object) => `Historik för ${object}`,
    kind: 'Objektets historik',
    introduction: (kept) =>
      `Tidigare versioner, den nyaste först. ${kept === 1 ? 'Bara den senaste sparas.' : `De senaste ${kept.toLocaleString('sv')} sparas.`}`,
    keepsNone: 'Valvet sparar inga tidigare versioner.',
    nothing: 'Inga tidigare versioner ännu. En sparas varje gång objektet redigeras.',
    version: (number) => `Version ${number}`,
    replacedBy: (name) => `Ersatt av ${name}`,
    name: 'Namn',
    useAgain: 'Återställ versionen',
    useAgainOf: (number) => `Återställ versionen: ${number}`,
    askTitle: (number) => `Återställa version ${number}?`,
    askText: 'Dess värden sparas som en ny version. De nuvarande värdena hamnar i historiken, och filen ändras inte.',
    askGo: 'Återställ',
    usedAgain: (number) => `Värdena från version ${number} är återställda.`,
  },
)
