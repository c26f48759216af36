//! The functions of FMI 2.0 and 3.0 that an importer calls: each a few lines over [`Unit`].
//!
//! What is passed is C: pointers to an instance, to arrays with their lengths, to texts. They are read here and nowhere
//! else, by the functions of the first section. An importer keeps to the standard: pointers are null or valid for as many
//! numbers as it says, and an instance is used from one thread at a time.

#![allow(non_snake_case)] // the standard's names

use crate::unit::{Answer, Fault, Unit};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

const OK: c_int = 0;
const DISCARD: c_int = 2;
const ERROR: c_int = 3;
const FATAL: c_int = 4;

/// What an importer holds.
struct Component {
    unit: Unit,
    log: Log,
    /// Whether a step may end at an event, and whom to tell of one.
    returns_early: bool,
    update: Option<Update>,
    /// A text that was returned last.
    text: CString,
}

type Log2 =
    unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);
type Log3 = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
type Update = unsafe extern "C" fn(*mut c_void, f64, bool, bool, bool, bool, *mut bool, *mut f64);

/// Where messages go.
#[derive(Clone)]
struct Log {
    two: Option<Log2>,
    three: Option<Log3>,
    environment: *mut c_void,
    name: CString,
}

/// The callbacks of FMI 2.0.
#[repr(C)]
pub struct Callbacks {
    logger: Option<Log2>,
    allocate: *const c_void,
    free: *const c_void,
    finished: *const c_void,
    environment: *mut c_void,
}

/// What FMI 2.0 is told after an event.
#[repr(C)]
pub struct EventInfo {
    newDiscreteStatesNeeded: c_int,
    terminateSimulation: c_int,
    nominalsOfContinuousStatesChanged: c_int,
    valuesOfContinuousStatesChanged: c_int,
    nextEventTimeDefined: c_int,
    nextEventTime: f64,
}

// ---- pointers ----

fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// Reads a C string; a null pointer gives the empty text.
fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    // SAFETY: not null, and the standard asks for a text that ends with a zero.
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

/// Reads an array; a null pointer gives an empty one.
fn array<'a, T>(p: *const T, count: usize) -> &'a [T] {
    if p.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: not null, and the standard asks for `count` values that live as long as the call.
    unsafe { std::slice::from_raw_parts(p, count) }
}

/// An array to be filled; a null pointer gives an empty one.
fn array_mut<'a, T>(p: *mut T, count: usize) -> &'a mut [T] {
    if p.is_null() || count == 0 {
        return &mut [];
    }
    // SAFETY: not null, and the standard asks for room for `count` values, used by nobody else during the call.
    unsafe { std::slice::from_raw_parts_mut(p, count) }
}

/// Writes a value if there is room for it.
fn put<T>(p: *mut T, value: T) {
    if let [to] = array_mut(p, 1) {
        *to = value;
    }
}

impl Log {
    fn say(&self, status: c_int, message: &str) {
        let category = c"logStatusError";
        let message = c_text(message);
        if let Some(log) = self.two {
            let environment = self.environment;
            let name = self.name.as_ptr();
            // SAFETY: the importer's own function, called as the standard says; the message is an argument of `%s`.
            unsafe {
                log(environment, name, status, category.as_ptr(), c"%s".as_ptr(), message.as_ptr());
            }
        }
        if let Some(log) = self.three {
            // SAFETY: the importer's own function, called as the standard says.
            unsafe { log(self.environment, status, category.as_ptr(), message.as_ptr()) };
        }
    }
}

/// Does something with an instance and says how it went; what is wrong is logged.
fn with(c: *mut c_void, work: impl FnOnce(&mut Component) -> Answer) -> c_int {
    // SAFETY: null, or what `instantiate` has returned and nobody else uses during the call.
    let Some(component) = (unsafe { c.cast::<Component>().as_mut() }) else { return ERROR };
    let (status, message) = match catch_unwind(AssertUnwindSafe(|| work(component))) {
        Ok(Ok(())) => return OK,
        Ok(Err(Fault::Discard(message))) => (DISCARD, message),
        Ok(Err(Fault::Error(message))) => (ERROR, message),
        Err(_) => (FATAL, "the library has failed; please report this".to_owned()),
    };
    let log = component.log.clone();
    log.say(status, &message);
    status
}

const MARK: &str = concat!("stickslip library for FMUs, version ", env!("CARGO_PKG_VERSION"), "\0");

fn instantiate(
    (location, token): (String, String),
    log: Log,
    exchange: bool,
    (returns_early, update): (bool, Option<Update>),
) -> *mut c_void {
    // Kept in the library, so that nothing else is put into an FMU in its place: see `fmu/library.rs` of stickslip-run.
    std::hint::black_box(MARK);
    let make = || match exchange {
        true => Unit::new_exchange(&location, &token),
        false => Unit::new(&location, &token),
    };
    let failed = match catch_unwind(make) {
        Ok(Ok(unit)) => {
            let text = CString::default();
            return Box::into_raw(Box::new(Component { unit, log, returns_early, update, text }))
                .cast();
        }
        Ok(Err(Fault::Error(message) | Fault::Discard(message))) => message,
        Err(_) => "the library has failed; please report this".to_owned(),
    };
    log.say(ERROR, &failed);
    std::ptr::null_mut()
}

fn free<T>(p: *mut T) {
    if !p.is_null() {
        // SAFETY: what `Box::into_raw` has returned here before, given back once.
        drop(unsafe { Box::from_raw(p) });
    }
}

fn get<T>(
    c: *mut c_void,
    (references, count): (*const u32, usize),
    (values, room): (*mut T, usize),
    of: impl Fn(f64) -> T,
) -> c_int {
    with(c, |c| {
        if room < count {
            return Err(Fault::Error(format!("{count} variables do not fit into {room} values")));
        }
        for (reference, to) in array(references, count).iter().zip(array_mut(values, count)) {
            *to = of(c.unit.get(*reference)?);
        }
        Ok(())
    })
}

fn set(c: *mut c_void, (references, count): (*const u32, usize), values: *const f64) -> c_int {
    with(c, |c| {
        let pairs = array(references, count).iter().zip(array(values, count));
        pairs.into_iter().try_for_each(|(reference, value)| c.unit.set(*reference, *value))
    })
}

/// The answer about variables of a type that no model has.
fn none(c: *mut c_void, count: usize) -> c_int {
    let why =
        || Fault::Error("no variable of this model has this type, or it cannot be set".into());
    with(c, |_| if count == 0 { Ok(()) } else { Err(why()) })
}

fn not_there(c: *mut c_void, what: &str) -> c_int {
    with(c, |_| Err(Fault::Error(format!("{what}: this model has none"))))
}

/// Advances, stopping at events where the importer may be told of them. How it went, and whether the step has ended early.
fn step(c: *mut c_void, from: f64, length: f64) -> (c_int, bool) {
    let mut at = from;
    let until = from + length;
    loop {
        let mut stopped = false;
        let mut early = false;
        let mut told = None;
        let status = with(c, |c| {
            early = c.returns_early;
            told = c.update.map(|update| (update, c.log.environment));
            stopped = c.unit.step(at, until - at, early || told.is_some())?;
            at = c.unit.time();
            Ok(())
        });
        if status != OK || !stopped {
            return (status, false);
        }
        if let Some((update, environment)) = told {
            let mut asked = false;
            let mut when = at;
            // SAFETY: the importer's own function, called as the standard says. It may ask for variables of the
            // instance, which nobody uses at this point.
            unsafe { update(environment, at, false, true, true, early, &mut asked, &mut when) };
            early &= asked;
        }
        if early || at >= until {
            return (OK, at < until);
        }
    }
}

// ---- FMI 2.0 ----

macro_rules! functions {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)] pub extern "C" fn $name($($arg: $type),*) $(-> $ret)? $body)*
    };
}

type C = *mut c_void;
type Refs = *const u32;

functions! {
    fn fmi2GetTypesPlatform() -> *const c_char { c"default".as_ptr() }
    fn fmi2GetVersion() -> *const c_char { c"2.0".as_ptr() }
    fn fmi2SetDebugLogging(_c: C, _on: c_int, _n: usize, _categories: *const *const c_char) -> c_int { OK }
    fn fmi2Instantiate(
        name: *const c_char, kind: c_int, guid: *const c_char, location: *const c_char,
        callbacks: *const Callbacks, _visible: c_int, _logging: c_int,
    ) -> C {
        let found = array(callbacks, 1).first();
        let (two, environment) = found.map_or((None, std::ptr::null_mut()), |c| (c.logger, c.environment));
        let log = Log { two, three: None, environment, name: c_text(&text(name)) };
        instantiate((text(location), text(guid)), log, kind == 0, (false, None))
    }
    fn fmi2FreeInstance(c: C) { free(c.cast::<Component>()) }
    fn fmi2SetupExperiment(
        c: C, _tolerance_defined: c_int, _tolerance: f64, start: f64, stop_defined: c_int, stop: f64,
    ) -> c_int {
        with(c, |c| c.unit.set_span(start, (stop_defined != 0).then_some(stop)))
    }
    fn fmi2EnterInitializationMode(c: C) -> c_int { with(c, |c| c.unit.enter_initialization()) }
    fn fmi2ExitInitializationMode(c: C) -> c_int { with(c, |c| c.unit.exit_initialization()) }
    fn fmi2Terminate(c: C) -> c_int { with(c, |c| { c.unit.terminate(); Ok(()) }) }
    fn fmi2Reset(c: C) -> c_int { with(c, |c| { c.unit.reset(); Ok(()) }) }
    fn fmi2GetReal(c: C, r: Refs, n: usize, values: *mut f64) -> c_int { get(c, (r, n), (values, n), |x| x) }
    fn fmi2GetInteger(c: C, r: Refs, n: usize, values: *mut c_int) -> c_int {
        get(c, (r, n), (values, n), |x| x as c_int)
    }
    fn fmi2GetBoolean(c: C, _r: Refs, n: usize, _values: *mut c_int) -> c_int { none(c, n) }
    fn fmi2GetString(c: C, _r: Refs, n: usize, _values: *mut *const c_char) -> c_int { none(c, n) }
    fn fmi2SetReal(c: C, r: Refs, n: usize, values: *const f64) -> c_int { set(c, (r, n), values) }
    fn fmi2SetInteger(c: C, _r: Refs, n: usize, _values: *const c_int) -> c_int { none(c, n) }
    fn fmi2SetBoolean(c: C, _r: Refs, n: usize, _values: *const c_int) -> c_int { none(c, n) }
    fn fmi2SetString(c: C, _r: Refs, n: usize, _values: *const *const c_char) -> c_int { none(c, n) }
    fn fmi2GetFMUstate(c: C, state: *mut *mut c_void) -> c_int { get_state(c, state) }
    fn fmi2SetFMUstate(c: C, state: *mut c_void) -> c_int { set_state(c, state) }
    fn fmi2FreeFMUstate(_c: C, state: *mut *mut c_void) -> c_int { free_state(state) }
    fn fmi2SerializedFMUstateSize(c: C, state: *mut c_void, size: *mut usize) -> c_int { state_size(c, state, size) }
    fn fmi2SerializeFMUstate(c: C, state: *mut c_void, bytes: *mut u8, size: usize) -> c_int {
        state_to_bytes(c, state, bytes, size)
    }
    fn fmi2DeSerializeFMUstate(c: C, bytes: *const u8, size: usize, state: *mut *mut c_void) -> c_int {
        state_of_bytes(c, bytes, size, state)
    }
    fn fmi2GetDirectionalDerivative(
        c: C, unknowns: Refs, n: usize, knowns: Refs, m: usize, seed: *const f64, out: *mut f64,
    ) -> c_int {
        directional(c, (array(unknowns, n), array(knowns, m)), array(seed, m), array_mut(out, n))
    }
    fn fmi2SetRealInputDerivatives(c: C, r: Refs, n: usize, orders: *const c_int, values: *const f64) -> c_int {
        with(c, |c| {
            let all = array(r, n).iter().zip(array(orders, n)).zip(array(values, n));
            all.into_iter().try_for_each(|((reference, order), value)| match order {
                1 => c.unit.set_rate_of(*reference, *value),
                _ => Err(Fault::Error(format!("a derivative of order {order} was set; expected order 1"))),
            })
        })
    }
    fn fmi2GetRealOutputDerivatives(c: C, _r: Refs, n: usize, _orders: *const c_int, _v: *mut f64) -> c_int {
        none(c, n)
    }
    fn fmi2DoStep(c: C, at: f64, length: f64, _no_set: c_int) -> c_int { step(c, at, length).0 }
    fn fmi2CancelStep(c: C) -> c_int { not_there(c, "a step that goes on by itself") }
    fn fmi2GetStatus(c: C, _kind: c_int, _value: *mut c_int) -> c_int { none(c, 1) }
    fn fmi2GetRealStatus(c: C, kind: c_int, value: *mut f64) -> c_int {
        if kind != 2 { return none(c, 1) }
        with(c, |c| { put(value, c.unit.time()); Ok(()) })
    }
    fn fmi2GetIntegerStatus(c: C, _kind: c_int, _value: *mut c_int) -> c_int { none(c, 1) }
    fn fmi2GetBooleanStatus(c: C, kind: c_int, value: *mut c_int) -> c_int {
        if kind != 3 { return none(c, 1) }
        put(value, 0);
        OK
    }
    fn fmi2GetStringStatus(c: C, _kind: c_int, value: *mut *const c_char) -> c_int {
        with(c, |c| { put(value, c.text.as_ptr()); Ok(()) })
    }
    fn fmi2EnterEventMode(c: C) -> c_int { with(c, |c| c.unit.enter_event_mode()) }
    fn fmi2NewDiscreteStates(c: C, info: *mut EventInfo) -> c_int {
        with(c, |c| {
            let update = c.unit.update_discrete_states()?;
            put(info, EventInfo {
                newDiscreteStatesNeeded: 0,
                terminateSimulation: 0,
                nominalsOfContinuousStatesChanged: 0,
                valuesOfContinuousStatesChanged: c_int::from(update.states_changed),
                nextEventTimeDefined: c_int::from(update.next.is_some()),
                nextEventTime: update.next.unwrap_or(0.0),
            });
            Ok(())
        })
    }
    fn fmi2EnterContinuousTimeMode(c: C) -> c_int { with(c, |c| c.unit.enter_continuous_time()) }
    fn fmi2CompletedIntegratorStep(c: C, _no_set: c_int, event: *mut c_int, stop: *mut c_int) -> c_int {
        with(c, |c| { put(event, c_int::from(c.unit.completed_step()?)); put(stop, 0); Ok(()) })
    }
    fn fmi2SetTime(c: C, t: f64) -> c_int { with(c, |c| c.unit.set_time(t)) }
    fn fmi2SetContinuousStates(c: C, x: *const f64, n: usize) -> c_int { with(c, |c| c.unit.set_states(array(x, n))) }
    fn fmi2GetDerivatives(c: C, x: *mut f64, n: usize) -> c_int { with(c, |c| c.unit.derivatives(array_mut(x, n))) }
    fn fmi2GetEventIndicators(c: C, z: *mut f64, n: usize) -> c_int { with(c, |c| c.unit.indicators(array_mut(z, n))) }
    fn fmi2GetContinuousStates(c: C, x: *mut f64, n: usize) -> c_int { with(c, |c| c.unit.states(array_mut(x, n))) }
    fn fmi2GetNominalsOfContinuousStates(_c: C, x: *mut f64, n: usize) -> c_int { array_mut(x, n).fill(1.0); OK }
}

// ---- states, for both ----

fn get_state(c: C, state: *mut *mut c_void) -> c_int {
    with(c, |c| {
        let Some(to) = array_mut(state, 1).first_mut() else { return Ok(()) };
        // SAFETY: null, or a state that was returned here before and has not been freed.
        match unsafe { to.cast::<Unit>().as_mut() } {
            Some(old) => old.clone_from(&c.unit),
            None => *to = Box::into_raw(Box::new(c.unit.clone())).cast(),
        }
        Ok(())
    })
}

/// Does something with a state.
fn with_state(
    c: C,
    state: *mut c_void,
    work: impl FnOnce(&mut Component, &Unit) -> Answer,
) -> c_int {
    with(c, |c| {
        // SAFETY: null, or a state that was returned here before and has not been freed.
        let found = unsafe { state.cast::<Unit>().as_ref() };
        work(c, found.ok_or_else(|| Fault::Error("there is no such state".into()))?)
    })
}

fn set_state(c: C, state: *mut c_void) -> c_int {
    with_state(c, state, |c, state| {
        c.unit.clone_from(state);
        Ok(())
    })
}

fn free_state(state: *mut *mut c_void) -> c_int {
    if let Some(p) = array_mut(state, 1).first_mut() {
        free(p.cast::<Unit>());
        *p = std::ptr::null_mut();
    }
    OK
}

fn state_size(c: C, state: *mut c_void, size: *mut usize) -> c_int {
    with_state(c, state, |_, state| {
        put(size, state.to_bytes()?.len());
        Ok(())
    })
}

fn state_to_bytes(c: C, state: *mut c_void, bytes: *mut u8, size: usize) -> c_int {
    with_state(c, state, |_, state| {
        let written = state.to_bytes()?;
        let room = array_mut(bytes, size).get_mut(..written.len());
        let small =
            || Fault::Error(format!("a state of {} bytes does not fit into {size}", written.len()));
        room.ok_or_else(small)?.copy_from_slice(&written);
        Ok(())
    })
}

fn state_of_bytes(c: C, bytes: *const u8, size: usize, state: *mut *mut c_void) -> c_int {
    with(c, |c| {
        let unit = c.unit.of_bytes(array(bytes, size))?;
        put(state, Box::into_raw(Box::new(unit)).cast());
        Ok(())
    })
}

fn directional(c: C, (unknowns, knowns): (&[u32], &[u32]), seed: &[f64], out: &mut [f64]) -> c_int {
    with(c, |c| c.unit.directional(unknowns, knowns, seed, out))
}

// ---- FMI 3.0 ----

macro_rules! no_type {
    ($($get:ident $set:ident $type:ty),* $(,)?) => {
        functions! {$(
            fn $get(c: C, _r: Refs, n: usize, _v: *mut $type, _m: usize) -> c_int { none(c, n) }
            fn $set(c: C, _r: Refs, n: usize, _v: *const $type, _m: usize) -> c_int { none(c, n) }
        )*}
    };
}

no_type! {
    fmi3GetFloat32 fmi3SetFloat32 f32, fmi3GetInt8 fmi3SetInt8 i8, fmi3GetUInt8 fmi3SetUInt8 u8,
    fmi3GetInt16 fmi3SetInt16 i16, fmi3GetUInt16 fmi3SetUInt16 u16, fmi3GetUInt32 fmi3SetUInt32 u32,
    fmi3GetInt64 fmi3SetInt64 i64, fmi3GetUInt64 fmi3SetUInt64 u64, fmi3GetBoolean fmi3SetBoolean bool,
    fmi3GetString fmi3SetString *const c_char,
}

functions! {
    fn fmi3GetVersion() -> *const c_char { c"3.0".as_ptr() }
    fn fmi3SetDebugLogging(_c: C, _on: bool, _n: usize, _categories: *const *const c_char) -> c_int { OK }
    fn fmi3InstantiateCoSimulation(
        name: *const c_char, token: *const c_char, location: *const c_char, _visible: bool, _logging: bool,
        _event_mode: bool, early: bool, _required: Refs, _n: usize, environment: C, log: Option<Log3>,
        update: Option<Update>,
    ) -> C {
        let log = Log { two: None, three: log, environment, name: c_text(&text(name)) };
        instantiate((text(location), text(token)), log, false, (early, update))
    }
    fn fmi3InstantiateModelExchange(
        name: *const c_char, token: *const c_char, location: *const c_char, _visible: bool, _logging: bool,
        environment: C, log: Option<Log3>,
    ) -> C {
        let log = Log { two: None, three: log, environment, name: c_text(&text(name)) };
        instantiate((text(location), text(token)), log, true, (false, None))
    }
    fn fmi3InstantiateScheduledExecution() -> C { std::ptr::null_mut() }
    fn fmi3FreeInstance(c: C) { free(c.cast::<Component>()) }
    fn fmi3EnterInitializationMode(
        c: C, _tolerance_defined: bool, _tolerance: f64, start: f64, stop_defined: bool, stop: f64,
    ) -> c_int {
        with(c, |c| {
            c.unit.set_span(start, stop_defined.then_some(stop))?;
            c.unit.enter_initialization()
        })
    }
    fn fmi3ExitInitializationMode(c: C) -> c_int { with(c, |c| c.unit.exit_initialization()) }
    fn fmi3EnterEventMode(c: C) -> c_int { with(c, |c| c.unit.enter_event_mode()) }
    fn fmi3Terminate(c: C) -> c_int { with(c, |c| { c.unit.terminate(); Ok(()) }) }
    fn fmi3Reset(c: C) -> c_int { with(c, |c| { c.unit.reset(); Ok(()) }) }
    fn fmi3GetFloat64(c: C, r: Refs, n: usize, v: *mut f64, m: usize) -> c_int { get(c, (r, n), (v, m), |x| x) }
    fn fmi3SetFloat64(c: C, r: Refs, n: usize, v: *const f64, m: usize) -> c_int { set(c, (r, n.min(m)), v) }
    fn fmi3GetInt32(c: C, r: Refs, n: usize, v: *mut i32, m: usize) -> c_int { get(c, (r, n), (v, m), |x| x as i32) }
    fn fmi3SetInt32(c: C, _r: Refs, n: usize, _v: *const i32, _m: usize) -> c_int { none(c, n) }
    fn fmi3GetBinary(c: C, _r: Refs, n: usize, _s: *mut usize, _v: *mut *const u8, _m: usize) -> c_int { none(c, n) }
    fn fmi3SetBinary(c: C, _r: Refs, n: usize, _s: *const usize, _v: *const *const u8, _m: usize) -> c_int {
        none(c, n)
    }
    fn fmi3GetClock(c: C, _r: Refs, n: usize, _v: *mut bool) -> c_int { none(c, n) }
    fn fmi3SetClock(c: C, _r: Refs, n: usize, _v: *const bool) -> c_int { none(c, n) }
    fn fmi3GetNumberOfVariableDependencies(c: C, _r: u32, _n: *mut usize) -> c_int { none(c, 1) }
    fn fmi3GetVariableDependencies(
        c: C, _r: u32, _e: *mut usize, _i: *mut u32, _ie: *mut usize, _k: *mut c_int, _n: usize,
    ) -> c_int { none(c, 1) }
    fn fmi3GetFMUState(c: C, state: *mut *mut c_void) -> c_int { get_state(c, state) }
    fn fmi3SetFMUState(c: C, state: *mut c_void) -> c_int { set_state(c, state) }
    fn fmi3FreeFMUState(_c: C, state: *mut *mut c_void) -> c_int { free_state(state) }
    fn fmi3SerializedFMUStateSize(c: C, state: *mut c_void, size: *mut usize) -> c_int { state_size(c, state, size) }
    fn fmi3SerializeFMUState(c: C, state: *mut c_void, bytes: *mut u8, size: usize) -> c_int {
        state_to_bytes(c, state, bytes, size)
    }
    fn fmi3DeserializeFMUState(c: C, bytes: *const u8, size: usize, state: *mut *mut c_void) -> c_int {
        state_of_bytes(c, bytes, size, state)
    }
    fn fmi3GetDirectionalDerivative(
        c: C, unknowns: Refs, n: usize, knowns: Refs, m: usize, seed: *const f64, k: usize, out: *mut f64, l: usize,
    ) -> c_int {
        directional(c, (array(unknowns, n), array(knowns, m)), array(seed, k), array_mut(out, l))
    }
    fn fmi3GetAdjointDerivative(
        c: C, _u: Refs, _n: usize, _k: Refs, _m: usize, _s: *const f64, _ns: usize, _o: *mut f64, _no: usize,
    ) -> c_int { not_there(c, "adjoint derivatives") }
    fn fmi3EnterConfigurationMode(c: C) -> c_int { not_there(c, "structural parameters") }
    fn fmi3ExitConfigurationMode(c: C) -> c_int { not_there(c, "structural parameters") }
    fn fmi3GetIntervalDecimal(c: C, _r: Refs, n: usize, _i: *mut f64, _q: *mut c_int) -> c_int { none(c, n) }
    fn fmi3GetIntervalFraction(c: C, _r: Refs, n: usize, _i: *mut u64, _f: *mut u64, _q: *mut c_int) -> c_int {
        none(c, n)
    }
    fn fmi3GetShiftDecimal(c: C, _r: Refs, n: usize, _s: *mut f64) -> c_int { none(c, n) }
    fn fmi3GetShiftFraction(c: C, _r: Refs, n: usize, _s: *mut u64, _f: *mut u64) -> c_int { none(c, n) }
    fn fmi3SetIntervalDecimal(c: C, _r: Refs, n: usize, _i: *const f64) -> c_int { none(c, n) }
    fn fmi3SetIntervalFraction(c: C, _r: Refs, n: usize, _i: *const u64, _f: *const u64) -> c_int { none(c, n) }
    fn fmi3SetShiftDecimal(c: C, _r: Refs, n: usize, _s: *const f64) -> c_int { none(c, n) }
    fn fmi3SetShiftFraction(c: C, _r: Refs, n: usize, _s: *const u64, _f: *const u64) -> c_int { none(c, n) }
    fn fmi3EvaluateDiscreteStates(_c: C) -> c_int { OK }
    fn fmi3UpdateDiscreteStates(
        c: C, again: *mut bool, stop: *mut bool, nominals: *mut bool, states: *mut bool, defined: *mut bool,
        next: *mut f64,
    ) -> c_int {
        with(c, |c| {
            let update = c.unit.update_discrete_states()?;
            [again, stop, nominals].into_iter().for_each(|p| put(p, false));
            put(states, update.states_changed);
            put(defined, update.next.is_some());
            put(next, update.next.unwrap_or(0.0));
            Ok(())
        })
    }
    fn fmi3EnterContinuousTimeMode(c: C) -> c_int { with(c, |c| c.unit.enter_continuous_time()) }
    fn fmi3CompletedIntegratorStep(c: C, _no_set: bool, event: *mut bool, stop: *mut bool) -> c_int {
        with(c, |c| { put(event, c.unit.completed_step()?); put(stop, false); Ok(()) })
    }
    fn fmi3SetTime(c: C, t: f64) -> c_int { with(c, |c| c.unit.set_time(t)) }
    fn fmi3SetContinuousStates(c: C, x: *const f64, n: usize) -> c_int { with(c, |c| c.unit.set_states(array(x, n))) }
    fn fmi3GetContinuousStateDerivatives(c: C, x: *mut f64, n: usize) -> c_int {
        with(c, |c| c.unit.derivatives(array_mut(x, n)))
    }
    fn fmi3GetEventIndicators(c: C, z: *mut f64, n: usize) -> c_int { with(c, |c| c.unit.indicators(array_mut(z, n))) }
    fn fmi3GetContinuousStates(c: C, x: *mut f64, n: usize) -> c_int { with(c, |c| c.unit.states(array_mut(x, n))) }
    fn fmi3GetNominalsOfContinuousStates(_c: C, x: *mut f64, n: usize) -> c_int { array_mut(x, n).fill(1.0); OK }
    fn fmi3GetNumberOfEventIndicators(c: C, n: *mut usize) -> c_int {
        with(c, |c| { put(n, c.unit.sizes().1); Ok(()) })
    }
    fn fmi3GetNumberOfContinuousStates(c: C, n: *mut usize) -> c_int {
        with(c, |c| { put(n, c.unit.sizes().0); Ok(()) })
    }
    fn fmi3EnterStepMode(_c: C) -> c_int { OK }
    fn fmi3GetOutputDerivatives(c: C, _r: Refs, n: usize, _o: *const i32, _v: *mut f64, _m: usize) -> c_int {
        none(c, n)
    }
    fn fmi3DoStep(
        c: C, at: f64, length: f64, _no_set: bool, event: *mut bool, stop: *mut bool, early: *mut bool, last: *mut f64,
    ) -> c_int {
        [event, stop].into_iter().for_each(|p| put(p, false));
        let (status, stopped) = step(c, at, length);
        put(early, stopped);
        with(c, |c| { put(last, c.unit.time()); Ok(()) });
        status
    }
    fn fmi3ActivateModelPartition(c: C, _r: u32, _t: f64) -> c_int { not_there(c, "model partitions") }
}
