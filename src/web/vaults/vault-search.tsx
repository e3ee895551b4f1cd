import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { Button } from 'react-aria-components/Button'
import { createFilter } from '../controls/filter-field.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { ObjectLinks } from './object-links.tsx'
import { keepFilter } from './table-position.ts'
import { rootId } from './vault-contents.ts'
import { leastSearched, mostFound, mostSearched, useFound } from './vault-reads.ts'
import { vaultsWords } from './vaults-words.ts'

/** The most results that are shown for one vault at first. */
const mostInAVault = 5

interface FoundVault {
  readonly id: string
  readonly name: string
  readonly objects: readonly StoredObject[]
}

interface Props {
  /** The typed text, after a pause in the typing. */
  readonly text: string
  /** Number of vaults whose own name contains the text. */
  readonly vaultCount: number
}

/** Objects of all vaults whose name or open fields contain every typed word, grouped by vault. */
export function VaultSearch({ text, vaultCount }: Props) {
  const words = useWordsOf(vaultsWords)
  const word = longestWord(text)
  const { data, error, refetch } = useFound(word)
  const found = useMemo<readonly FoundVault[]>(() => {
    const fits = createFilter(text)
    // The appliance searched fields of abridged objects that its answer leaves out.
    const objects = (data?.OBJECT ?? []).filter((object) => object.abridged === true || fits(textOf(object)))
    return (data?.VAULTS ?? [])
      .map(({ id, groupname }) => ({ id, name: groupname, objects: objects.filter(({ groupid }) => groupid === id) }))
      .filter((vault) => vault.objects.length > 0)
  }, [data, text])
  const count = found.reduce((sum, { objects }) => sum + objects.length, 0)
  return (
    <>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {/* The count changes only with an answer, so that a screen reader does not announce it for every letter. */}
      <p className="soft count" role="status">
        {word.length < leastSearched ? words.typeMore : data && words.found(vaultCount, count)}
      </p>
      {found.map((vault) => (
        <FoundInVault key={vault.id} vault={vault} text={text} templates={data?.TEMPLATES ?? []} />
      ))}
      {data?.OBJECT.length === mostFound && <p className="soft">{words.tooMany(mostFound)}</p>}
    </>
  )
}

interface FoundProps {
  readonly vault: FoundVault
  readonly text: string
  readonly templates: readonly StoredTemplate[]
}

function FoundInVault({ vault: { id, name, objects }, text, templates }: FoundProps) {
  const words = useWordsOf(vaultsWords)
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  return (
    <section aria-label={words.foundIn(name)}>
      <h2>{words.foundIn(name)}</h2>
      <ObjectLinks objects={objects.slice(0, mostInAVault)} templates={templates} />
      {objects.length > mostInAVault && (
        <Button
          className="button small all-found"
          onPress={() => {
            keepFilter(queries, { vaultid: id, folderid: rootId, filter: text })
            navigate(`/vault/${id}`)
          }}
        >
          {words.allIn(objects.length, name)}
        </Button>
      )}
    </section>
  )
}

/**
 * The word that the call searches for, because the interface takes one text, of a limited length, and does not split it.
 */
const longestWord = (text: string): string =>
  text
    .split(/\s+/)
    .reduce((longest, word) => (word.length > longest.length ? word : longest), '')
    .slice(0, mostSearched)

/** The text that the interface searches. */
const textOf = (object: StoredObject): string =>
  [object.objectname, ...Object.values(object.public)].join('\n').toLowerCase()
