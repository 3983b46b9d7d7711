export default function StatusView() {
  return <div />
}
