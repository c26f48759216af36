//! `stickslip converge`.

use super::sandbox::{Sandbox, columns, numbers};

#[test]
fn the_order_of_the_euler_scheme_is_one() {
    let sandbox = Sandbox::new();
    for (against, rows) in [("self", 7), ("exact", 8)] {
        let args = [
            "converge",
            "model.toml",
            "--end",
            "5",
            "--step",
            "0.05",
            "--against",
            against,
            "--out",
            "r",
        ];
        sandbox.run(&args).done();
        let table = sandbox.read("r/convergence.csv");
        assert!(table.starts_with("h,error,ratio,order\n0.05,"));
        assert_eq!(numbers(&table, "h").len(), rows);
        let orders = &columns(&table)[3].1;
        assert_eq!(orders[rows - 1], "");
        let orders: Vec<f64> = orders[..rows - 1].iter().map(|o| o.parse().unwrap()).collect();
        let mean = orders.iter().sum::<f64>() / orders.len() as f64;
        assert!((mean - 1.0).abs() < 0.05, "{orders:?}");
        let summary: serde_json::Value =
            serde_json::from_str(&sandbox.read("r/summary.json")).unwrap();
        assert_eq!((&summary["scheme"], &summary["against"]), (&"euler".into(), &against.into()));
    }
}

#[test]
fn steps_without_end_are_refused() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["converge", "model.toml", "--halvings", "20", "--out", "r"])
        .failed(1, &["halved 20 times", "halve less often"]);
    assert!(!sandbox.path("r").exists());
}
/// Shaw's example has an exact solution: error and event times fall with the tolerance.
#[test]
fn tolerances_make_a_work_precision_table() {
    let sandbox = Sandbox::new();
    sandbox.run(&["converge", "model.toml", "--scheme", "adaptive", "--out", "r"]).done();
    let table = sandbox.read("r/convergence.csv");
    assert!(table.starts_with("rtol,error,event_time_error,steps\n"), "{table}");
    let (rtol, error) = (numbers(&table, "rtol"), numbers(&table, "error"));
    let (events, steps) = (numbers(&table, "event_time_error"), numbers(&table, "steps"));
    assert_eq!(rtol.len(), 7);
    for i in 0..7 {
        assert!((rtol[i].log10() + 6.0 + i as f64).abs() < 1e-12);
        // The motion reaches 7 m: within a hundred times the tolerance of that.
        assert!(error[i] < 700.0 * rtol[i] && events[i] < 100.0 * rtol[i], "{table}");
    }
    assert!(steps[6] > steps[0]);
    assert!(sandbox.read("r/convergence.svg").starts_with("<svg"));
}
