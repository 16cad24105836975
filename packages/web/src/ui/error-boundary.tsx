import { Component, type ReactNode } from "react";

interface Props {
  /** Shown in place of the children after one of them has failed to render. */
  fallback: ReactNode;
  /** Another value renders the children again. */
  resetKey?: unknown;
  children: ReactNode;
}

interface State {
  hasFailed: boolean;
}

/** Limits a component's failure to what it contains. The root of the page logs the error (app/main.tsx). */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override componentDidUpdate({ resetKey }: Props): void {
    if (this.state.hasFailed && resetKey !== this.props.resetKey) this.setState({ hasFailed: false });
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}
