import { counted } from '../words/counted.ts'
import { inBoth } from '../words/spoken.tsx'

/** The texts of favourites. */
export const favouriteWords = inBoth(
  {
    favourite: 'Favourite',
    favourites: 'Favourites',
    allFavourites: (count: number) => `All ${count.toLocaleString('en')} favourites`,
    takeOff: (name: string) => `Take ${name} off the favourites`,
    takenOff: (name: string) => `${name} is a favourite no longer.`,
    favouriteNamed: (name: string) => `Favourite: ${name}`,
    noFavourites: 'No favourites',
    isFavourite: (name: string) => `${name} is a favourite.`,
    areFavourites: (count: number) => `${counted('en', count, 'object is a favourite', 'objects are favourites')}.`,
    areNone: (count: number) => `${counted('en', count, 'object is a favourite', 'objects are favourites')} no longer.`,
  },
  {
    favourite: 'Favorit',
    favourites: 'Favoriter',
    allFavourites: (count) => `Alla ${count.toLocaleString('sv')} favoriter`,
    takeOff: (name) => `Ta bort ${name} från favoriterna`,
    takenOff: (name) => `${name} är inte längre en favorit.`,
    favouriteNamed: (name) => `Favorit: ${name}`,
    noFavourites: 'Inga favoriter',
    isFavourite: (name) => `${name} är en favorit.`,
    areFavourites: (count) => `${count.toLocaleString('sv')} objekt är favoriter.`,
    areNone: (count) => `${count.toLocaleString('sv')} objekt är inte längre favoriter.`,
  },
)
