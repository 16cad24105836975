/** The lengths of the lines, in percent. */
const LINES = [62, 84, 38, 71, 55, 90];

/** The outlines of messages while the first ones load. It appears only if that takes a while. */
export function Skeleton() {
  return (
    <div className="skeleton" aria-hidden="true">
      {LINES.map((percent) => (
        <div key={percent}>
          <span className="circle" />
          <span>
            <span className="line" style={{ width: "7rem" }} />
            <span className="line" style={{ width: `${percent}%` }} />
          </span>
        </div>
      ))}
    </div>
  );
}
