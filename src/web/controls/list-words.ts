import { inBoth } from '../words/language.tsx'

/** The texts of lists that are longer than one page. */
export const listWords = inBoth(
  {
    previous: 'Previous page',
    next: 'Next page',
    page: (number: number, count?: number) =>
      count === undefined ? `Page ${number}` : `Page ${number} of ${count.toLocaleString('en')}`,
    filter: 'Filter this list',
    filterOf: (label: string) => `Filter: ${label}`,
    fitting: (found: number, all: number) => `${found.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    others: (count: number) => `${count.toLocaleString('en')} more`,
    andMore: (count: number) => `${count.toLocaleString('en')} more. Type more in the filter to find them.`,
  },
  {
    previous: 'Föregående sida',
    next: 'Nästa sida',
    page: (number, count) =>
      count === undefined ? `Sida ${number}` : `Sida ${number} av ${count.toLocaleString('sv')}`,
    filter: 'Filtrera listan',
    filterOf: (label) => `Filtrera: ${label}`,
    fitting: (found, all) => `${found.toLocaleString('sv')} av ${all.toLocaleString('sv')}`,
    others: (count) => `${count.toLocaleString('sv')} till`,
    andMore: (count) => `${count.toLocaleString('sv')} till. Skriv mer i filtret för att hitta dem.`,
  },
)
