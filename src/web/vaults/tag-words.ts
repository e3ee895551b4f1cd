import { inBoth } from '../words/spoken.tsx'

/** The texts of tags. */
export const tagWords = inBoth(
  {
    tags: 'Tags',
    ownHint: 'Your own words for this object. Others do not see them.',
    newTag: 'New tag',
    add: 'Add',
    remove: (tag: string) => `Remove the tag ${tag}`,
    added: (tag: string) => `The tag ${tag} is added.`,
    removed: (tag: string) => `The tag ${tag} is removed.`,
    hasIt: 'The object has this tag already.',
    tooMany: (most: number) => `An object has ${most} tags at most.`,
    allTags: (count: number) => `All ${count.toLocaleString('en')} tags`,
    tagged: (tag: string) => `With the tag ${tag}`,
  },
  {
    tags: 'Etiketter',
    ownHint: 'Dina egna ord för objektet. Andra ser dem inte.',
    newTag: 'Ny etikett',
    add: 'Lägg till',
    remove: (tag) => `Ta bort etiketten ${tag}`,
    added: (tag) => `Etiketten ${tag} är tillagd.`,
    removed: (tag) => `Etiketten ${tag} är borttagen.`,
    hasIt: 'Objektet har redan den etiketten.',
    tooMany: (most) => `Ett objekt har högst ${most} etiketter.`,
    allTags: (count) => `Alla ${count.toLocaleString('sv')} etiketter`,
    tagged: (tag) => `Med etiketten ${tag}`,
  },
)
