import { counted } from '../words/counted.ts'
import { inBoth } from '../words/language.tsx'

/** The texts of favourites. */
export const favouriteWords = inBoth(
  {
    favourite: 'Favourite',
    favourites: 'Favourites',
    allFavourites: (count: number) => `All ${count.toLocaleString('en')} favourites`,
    takeOff: (name: string) => `Remove ${name} from favourites`,
    takenOff: (name: string) => `${name} removed from favourites.`,
    favouriteNamed: (name: string) => `Favourite: ${name}`,
    addAll: 'Add to favourites',
    removeAll: 'Remove from favourites',
    isFavourite: (name: string) => `${name} added to favourites.`,
    areFavourites: (count: number) => `${counted('en', count, 'object', 'objects')} added to favourites.`,
    areNone: (count: number) => `${counted('en', count, 'object', 'objects')} removed from favourites.`,
  },
  {
    favourite: 'Favorit',
    favourites: 'Favoriter',
    allFavourites: (count) => `Alla ${count.toLocaleString('sv')} favoriter`,
    takeOff: (name) => `Ta bort ${name} från favoriterna`,
    takenOff: (name) => `${name} har tagits bort från favoriterna.`,
    favouriteNamed: (name) => `Favorit: ${name}`,
    addAll: 'Lägg till i favoriter',
    removeAll: 'Ta bort från favoriter',
    isFavourite: (name) => `${name} har lagts till i favoriterna.`,
    areFavourites: (count) => `${count.toLocaleString('sv')} objekt har lagts till i favoriterna.`,
    areNone: (count) => `${count.toLocaleString('sv')} objekt har tagits bort från favoriterna.`,
  },
)
