import { ChevronRight, Vault } from 'lucide-react'
import { useEffect, useMemo, useState, type CSSProperties } from 'react'
import { Button } from 'react-aria-components/Button'
import { Collection } from 'react-aria-components/Collection'
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree'
import { useLocation } from 'wouter'
import { listWords } from '../controls/list-words.ts'
import type { ObjectDrag } from './object-drag.ts'
import { ObjectIcon } from './object-icon.tsx'
import { pathTo, rootId, type Arranged } from './vault-contents.ts'
import { useWords, useWordsOf } from '../words/language.tsx'

interface Props {
  readonly vaultid: string
  readonly vaultName: string
  readonly arranged: Arranged
  readonly folderid: string
  /** Absent where the person may not move objects. */
  readonly drag: ObjectDrag | undefined
}

/** The most folders that the tree draws under one folder. The table lists them all. */
const mostBeside = 100

interface Entry {
  readonly id: string
  readonly name: string
  /** Icon name of the object's template. */
  readonly icon?: string | undefined
  /** Represents the folders that are not drawn. */
  readonly isMore?: boolean
}

/** The folders of a vault. The shown folder is selected, and the folders above it are expanded. */
export function FolderTree({ vaultid, vaultName, arranged, folderid, drag }: Props) {
  const words = useWords()
  const { others } = useWordsOf(listWords)
  const [, navigate] = useLocation()
  const [expanded, setExpanded] = useState<ReadonlySet<string | number>>(() => new Set([rootId]))
  const around = useMemo(() => new Set(pathTo(arranged, folderid)), [arranged, folderid])
  useEffect(() => {
    const ids = [...around].map(({ object }) => object.id)
    setExpanded((before) => new Set([...before, ...ids]))
  }, [around])
  const hasFolders = (id: string): boolean => (arranged.byParent.get(id) ?? []).some(({ isFolder }) => isFolder)
  const foldersIn = (id: string): Entry[] => {
    const folders = (arranged.byParent.get(id) ?? []).filter(({ isFolder }) => isFolder)
    const drawn = folders.filter((row, at) => at < mostBeside || around.has(row))
    const entries = drawn.map(({ object, template }) => ({
      id: object.id,
      name: object.objectname,
      icon: template?.info.ico,
    }))
    const left = folders.length - drawn.length
    return left === 0 ? entries : [...entries, { id: `more ${id}`, name: others(left), isMore: true }]
  }

  const item = ({ id, name, icon, isMore = false }: Entry) => (
    <TreeItem key={id} id={id} textValue={name} isDisabled={isMore} hasChildItems={hasFolders(id)}>
      <TreeItemContent>
        {({ hasChildItems, isExpanded, level }) => (
          <span className="branch" style={indentOf(level)} {...(!isMore && drag?.dropProps(id))}>
            {hasChildItems ? (
              <Button slot="chevron" className={isExpanded ? 'chevron open' : 'chevron'}>
                <ChevronRight aria-hidden />
              </Button>
            ) : (
              <span className="chevron" />
            )}
            {id === rootId ? <Vault aria-hidden /> : !isMore && <ObjectIcon name={icon} />}
            <span className={isMore ? 'label soft' : 'label'}>{name}</span>
          </span>
        )}
      </TreeItemContent>
      {/* Collapsed folders are not built. */}
      <Collection items={expanded.has(id) ? foldersIn(id) : []}>{item}</Collection>
    </TreeItem>
  )

  return (
    <Tree
      className="tree"
      aria-label={words.folders}
      selectionMode="single"
      selectionBehavior="replace"
      disallowEmptySelection
      selectedKeys={[folderid]}
      onSelectionChange={(keys) => {
        const [key] = keys === 'all' ? [] : [...keys]
        if (key !== undefined && key !== folderid)
          navigate(key === rootId ? `/vault/${vaultid}` : `/vault/${vaultid}/${String(key)}`)
      }}
      expandedKeys={expanded}
      onExpandedChange={setExpanded}
    >
      {item({ id: rootId, name: vaultName })}
    </Tree>
  )
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- React's types know no variables of styles
const indentOf = (level: number): CSSProperties => ({ '--level': level }) as CSSProperties
