//! Where a number of a table belongs, found once by its key: from then on numbers are put there without any text.

/// Leads to a number of a `T`; `None` where the `T` has other parts than the one that the slot was made for.
pub type Slot<T> = Box<dyn Fn(&mut T) -> Option<&mut f64> + Send + Sync>;

/// A field of a `T`, which every `T` has.
pub type Field<T> = fn(&mut T) -> &mut f64;

/// The slot of a field.
pub fn always<T: 'static>(field: Field<T>) -> Slot<T> {
    Box::new(move |it| Some(field(it)))
}
