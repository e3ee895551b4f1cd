import { Component, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { ViewTitle } from './view-title.tsx'
import { useWords } from '../words/language.tsx'

interface Props {
  readonly children: ReactNode
  /** Address of the view inside. A new address clears the error. Absent around the whole page. */
  readonly address?: string
}

interface State {
  readonly isBroken: boolean
  readonly address: string | undefined
}

/** Replaces its children by an apology where rendering them fails. */
export class BrokenPage extends Component<Props, State> {
  override state: State = { isBroken: false, address: this.props.address }

  static getDerivedStateFromError(): Partial<State> {
    return { isBroken: true }
  }
  static getDerivedStateFromProps({ address }: Props, state: State): State | null {
    return address === state.address ? null : { isBroken: false, address }
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children
    return this.props.address === undefined ? (
      <main>
        <Apology />
      </main>
    ) : (
      <Apology />
    )
  }
}

function Apology() {
  const words = useWords()
  return (
    <div className="page apology">
      <ViewTitle text={words.brokenTitle} />
      <p>{words.broken}</p>
      <p className="buttons">
        <Button className="button" onPress={() => location.reload()}>
          {words.loadAgain}
        </Button>
        <a className="button" href="#/">
          {words.toVaults}
        </a>
      </p>
    </div>
  )
}
