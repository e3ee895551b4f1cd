import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { Button } from 'react-aria-components/Button'
import { createFilter } from '../controls/filter-field.tsx'
import { Trouble } from '../controls/trouble.tsx'
import type { StoredObject, StoredTemplate } from '../interface/calls.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { ObjectLinks } from './object-links.tsx'
import { keepFilter } from './table-place.ts'
import { rootId } from './vault-contents.ts'
import { mostFound, useFound } from './vault-reads.ts'
import { vaultsWords } from './vaults-words.ts'

/** Of one vault; the others are a click away. */
const mostInAVault = 5

interface FoundVault {
  readonly id: string
  readonly name: string
  readonly objects: readonly StoredObject[]
}

interface Props {
  /** What was typed, once it has stood still. */
  readonly text: string
  /** How many vaults are found by their own name. */
  readonly vaultCount: number
}

/** Objects of all vaults whose name or open fields hold every word that was typed, by the vaults in which they lie. */
export function VaultSearch({ text, vaultCount }: Props) {
  const words = useWordsOf(vaultsWords)
  const { data, error, refetch } = useFound(longestWord(text))
  const found = useMemo<readonly FoundVault[]>(() => {
    const fits = createFilter(text)
    // The appliance has looked through fields that are too long for its answer.
    const objects = (data?.OBJECT ?? []).filter((object) => object.abridged === true || fits(textOf(object)))
    return (data?.VAULTS ?? [])
      .map(({ id, groupname }) => ({ id, name: groupname, objects: objects.filter(({ groupid }) => groupid === id) }))
      .filter((vault) => vault.objects.length > 0)
  }, [data, text])
  const count = found.reduce((sum, { objects }) => sum + objects.length, 0)
  return (
    <>
      {error && <Trouble error={error} onTryAgain={() => void refetch()} />}
      {/* Not read out for each letter: it changes once the answer is there. */}
      <p className="soft count" role="status">
        {data && words.found(vaultCount, count)}
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

/** The interface looks for one text as it stands. */
const longestWord = (text: string): string =>
  text.split(/\s+/).reduce((longest, word) => (word.length > longest.length ? word : longest), '')

/** What the interface searches through. */
const textOf = (object: StoredObject): string =>
  [object.objectname, ...Object.values(object.public)].join('\n').toLowerCase()
