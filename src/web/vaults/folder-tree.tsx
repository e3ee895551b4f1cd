import { ChevronRight, Folder, Vault } from 'lucide-react'
import { useEffect, useState, type CSSProperties } from 'react'
import { Button } from 'react-aria-components/Button'
import { Collection } from 'react-aria-components/Collection'
import { Tree, TreeItem, TreeItemContent } from 'react-aria-components/Tree'
import { useLocation } from 'wouter'
import type { ObjectDrag } from './object-drag.ts'
import { pathTo, rootId, type Arranged, type Row } from './vault-contents.ts'
import { useWords } from '../words/spoken.tsx'

interface Props {
  readonly vaultid: string
  readonly vaultName: string
  readonly arranged: Arranged
  readonly folderid: string
  /** Absent where nothing may be moved. */
  readonly drag: ObjectDrag | undefined
}

/** The folders of a vault. The one that is shown is selected, and those around it are open. */
export function FolderTree({ vaultid, vaultName, arranged, folderid, drag }: Props) {
  const words = useWords()
  const [, navigate] = useLocation()
  const [expanded, setExpanded] = useState<ReadonlySet<string | number>>(() => new Set([rootId]))
  useEffect(() => {
    const around = pathTo(arranged, folderid).map(({ object }) => object.id)
    setExpanded((before) => new Set([...before, ...around]))
  }, [arranged, folderid])
  const foldersIn = (id: string): Row[] => (arranged.byParent.get(id) ?? []).filter(({ isFolder }) => isFolder)

  const item = (id: string, name: string) => (
    <TreeItem key={id} id={id} textValue={name}>
      <TreeItemContent>
        {({ hasChildItems, isExpanded, level }) => (
          <span className="entry" style={indentOf(level)} {...drag?.dropProps(id)}>
            {hasChildItems ? (
              <Button slot="chevron" className={isExpanded ? 'chevron open' : 'chevron'}>
                <ChevronRight aria-hidden />
              </Button>
            ) : (
              <span className="chevron" />
            )}
            {id === rootId ? <Vault aria-hidden /> : <Folder aria-hidden />}
            <span className="label">{name}</span>
          </span>
        )}
      </TreeItemContent>
      <Collection items={foldersIn(id).map(({ object }) => ({ id: object.id, name: object.objectname }))}>
        {(child) => item(child.id, child.name)}
      </Collection>
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
      {item(rootId, vaultName)}
    </Tree>
  )
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- React's types know no variables of styles
const indentOf = (level: number): CSSProperties => ({ '--level': level }) as CSSProperties
