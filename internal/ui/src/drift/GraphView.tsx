export default function GraphView() {
  return <div />
}
