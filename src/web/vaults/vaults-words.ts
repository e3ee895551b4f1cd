import { counted } from '../words/counted.ts'
import { inBoth } from '../words/language.tsx'

/** The texts of the list of vaults, and of the search in all vaults. */
export const vaultsWords = inBoth(
  {
    search: 'Search vaults and objects',
    recent: 'Recent',
    vaultsFound: 'Vaults',
    foundIn: (vault: string) => `In ${vault}`,
    found: (vaults: number, objects: number) =>
      `Found: ${counted('en', vaults, 'vault', 'vaults')}, ${counted('en', objects, 'object', 'objects')}`,
    typeMore: 'Objects are searched for from two letters on.',
    tooMany: (count: number) =>
      `Showing the first ${count.toLocaleString('en')} objects. Type more to narrow the search.`,
    allIn: (count: number, vault: string) => `All ${count.toLocaleString('en')} in ${vault}`,
    create: 'Create vault',
  },
  {
    search: 'Sök valv och objekt',
    recent: 'Senaste',
    vaultsFound: 'Valv',
    foundIn: (vault) => `I ${vault}`,
    found: (vaults, objects) =>
      `Hittade: ${counted('sv', vaults, 'valv', 'valv')}, ${counted('sv', objects, 'objekt', 'objekt')}`,
    typeMore: 'Objekt söks från två bokstäver.',
    tooMany: (count) => `Visar de första ${count.toLocaleString('sv')} objekten. Skriv mer för att begränsa sökningen.`,
    allIn: (count, vault) => `Alla ${count.toLocaleString('sv')} i ${vault}`,
    create: 'Skapa valv',
  },
)
