import { counted } from '../words/counted.ts'
import { inBoth } from '../words/spoken.tsx'

/** The texts of the list of vaults, and of the search in all vaults. */
export const vaultsWords = inBoth(
  {
    search: 'Search vaults, and what lies in them',
    recent: 'Recent',
    vaultsFound: 'Vaults',
    foundIn: (vault: string) => `In ${vault}`,
    found: (vaults: number, objects: number) =>
      `Found: ${counted('en', vaults, 'vault', 'vaults')}, ${counted('en', objects, 'object', 'objects')}`,
    tooMany: (count: number) => `These are the first ${count.toLocaleString('en')} objects: type more to see others.`,
    allIn: (count: number, vault: string) => `All ${count.toLocaleString('en')} in ${vault}`,
    create: 'Create a vault',
  },
  {
    search: 'Sök bland valv och i dem',
    recent: 'Senaste',
    vaultsFound: 'Valv',
    foundIn: (vault) => `I ${vault}`,
    found: (vaults, objects) =>
      `Hittat: ${counted('sv', vaults, 'valv', 'valv')}, ${counted('sv', objects, 'objekt', 'objekt')}`,
    tooMany: (count) => `Det här är de första ${count.toLocaleString('sv')} objekten: skriv mer för att se andra.`,
    allIn: (count, vault) => `Alla ${count.toLocaleString('sv')} i ${vault}`,
    create: 'Skapa ett valv',
  },
)
