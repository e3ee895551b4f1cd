import { inBoth } from '../words/language.tsx'

/** The texts of tags. */
export const tagWords = inBoth(
  {
    tags: 'Tags',
    ownHint: 'Your own labels for this object. Only you can see them.',
    newTag: 'New tag',
    add: 'Add',
    remove: (tag: string) => `Remove tag ${tag}`,
    added: (tag: string) => `Tag ${tag} added.`,
    removed: (tag: string) => `Tag ${tag} removed.`,
    hasIt: 'The object already has this tag.',
    tooMany: (most: number) => `An object can have at most ${most} tags.`,
    allTags: (count: number) => `All ${count.toLocaleString('en')} tags`,
    tagged: (tag: string) => `Tagged ${tag}`,
  },
  {
    tags: 'Etiketter',
    ownHint: 'Dina egna etiketter för objektet. Bara du ser dem.',
    newTag: 'Ny etikett',
    add: 'Lägg till',
    remove: (tag) => `Ta bort etiketten ${tag}`,
    added: (tag) => `Etiketten ${tag} har lagts till.`,
    removed: (tag) => `Etiketten ${tag} har tagits bort.`,
    hasIt: 'Objektet har redan den etiketten.',
    tooMany: (most) => `Ett objekt kan ha högst ${most} etiketter.`,
    allTags: (count) => `Alla ${count.toLocaleString('sv')} etiketter`,
    tagged: (tag) => `Med etiketten ${tag}`,
  },
)
