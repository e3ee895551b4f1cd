import { inBoth } from '../words/spoken.tsx'

/** The texts for the history of an object. */
export const historyWords = inBoth(
  {
    title: (object: string) => `History of ${object}`,
    kind: 'History of an object',
    introduction: (kept: number) =>
      `What each edit replaced, the newest first. ${kept === 1 ? 'The last one is kept.' : `The last ${kept.toLocaleString('en')} are kept.`}`,
    keepsNone: 'This vault keeps no earlier values.',
    nothing: 'Its values were not replaced since the vault keeps a history.',
    version: (number: string) => `Version ${number}`,
    replacedBy: (name: string) => `Replaced by ${name}`,
    name: 'Name',
    useAgain: 'Use these values again',
    useAgainOf: (number: string) => `Use these values again: version ${number}`,
    askTitle: (number: string) => `Use the values of version ${number} again?`,
    askText:
      'The object gets them as a new version. What it has now goes into its history, and its file stays as it is.',
    askGo: 'Use them',
    usedAgain: (number: string) => `The object has the values of version ${number} again.`,
  },
  {
    title: (object) => `Historik för ${object}`,
    kind: 'Historik för ett objekt',
    introduction: (kept) =>
      `Det som varje ändring ersatte, det nyaste först. ${kept === 1 ? 'Det senaste sparas.' : `De senaste ${kept.toLocaleString('sv')} sparas.`}`,
    keepsNone: 'Valvet sparar inga tidigare värden.',
    nothing: 'Värdena har inte ersatts sedan valvet började spara historik.',
    version: (number) => `Version ${number}`,
    replacedBy: (name) => `Ersatt av ${name}`,
    name: 'Namn',
    useAgain: 'Använd värdena igen',
    useAgainOf: (number) => `Använd värdena igen: version ${number}`,
    askTitle: (number) => `Använda värdena från version ${number} igen?`,
    askText: 'Objektet får dem som en ny version. Det som det har nu hamnar i historiken, och filen blir som den är.',
    askGo: 'Använd dem',
    usedAgain: (number) => `Objektet har värdena från version ${number} igen.`,
  },
)
