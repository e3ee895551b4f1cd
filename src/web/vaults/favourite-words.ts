import { inBoth } from '../words/spoken.tsx'

/** Of the objects that a person wants at hand. */
export const favouriteWords = inBoth(
  {
    favourite: 'Favourite',
    favourites: 'Favourites',
    allFavourites: (count: number) => `All ${count.toLocaleString('en')} favourites`,
    takeOff: (name: string) => `Take ${name} off the favourites`,
    takenOff: (name: string) => `${name} is a favourite no longer.`,
  },
  {
    favourite: 'Favorit',
    favourites: 'Favoriter',
    allFavourites: (count) => `Alla ${count.toLocaleString('sv')} favoriter`,
    takeOff: (name) => `Ta bort ${name} från favoriterna`,
    takenOff: (name) => `${name} är inte längre en favorit.`,
  },
)
